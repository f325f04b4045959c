import {
  type AllowList,
  assertLiteral,
  OutboundError,
  parseTarget,
} from '@workspace-automation/outbound-http';
import { invalidField } from '../../../contract/problem.ts';

/**
 * The URL in the form in which it is called. Throws 400 for a URL that is never called: not http or https, with
 * credentials, or with an address that is not public. A name is looked up at each attempt.
 */
export function assertTarget(text: string, allowed: AllowList): string {
  try {
    const url = parseTarget(text);
    assertLiteral(url, allowed);
    return url.href;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw invalidField('url', 'target_refused', error.message);
  }
}
