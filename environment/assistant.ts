import { z } from 'zod';
import { httpUrl, optional } from './values/text-values.ts';

/** Whether paths can be appended to the address, and no message that names it contains a password. */
function isPlainAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && !url.username && !url.password && !url.search && !url.hash;
}

/** The variables of the assistant's model. */
export const assistantVariables = {
  AGENT_BASE_URL: optional(
    httpUrl.refine(
      isPlainAddress,
      'an http:// or https:// address without a user, a query and a fragment',
    ),
  ),
  AGENT_API_KEY: optional(
    z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'up to 4096 visible ASCII characters'),
  ),
  AGENT_MODEL: optional(
    z.string().regex(/^[\x21-\x7e]{1,200}$/, 'up to 200 visible ASCII characters'),
  ),
};
