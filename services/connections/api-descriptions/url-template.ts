import {
  parseUrlTemplate,
  type UrlTemplate,
  UrlTemplateError,
} from '@workspace-automation/outbound-http';
import { invalidField } from '../../../contract/problem.ts';

/** Parses the `url` of a request's body. Throws a 400 that names `url`. */
export function readUrl(url: string): UrlTemplate {
  try {
    return parseUrlTemplate(url);
  } catch (error) {
    if (!(error instanceof UrlTemplateError)) throw error;
    throw invalidField('url', error.code.toLowerCase(), error.message);
  }
}
