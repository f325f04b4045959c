import type { IncomingMessage } from 'node:http';
import { invalidRequest, Problem, UnsupportedMediaType } from '../../../contract/problem.ts';
import type { UploadRule } from '../../../contract/upload.ts';
import { bodyFault } from '../body/body-fault.ts';
import { mediaTypeOf } from '../body/read-body.ts';
import { FORM_OVERHEAD_BYTES, tooLarge } from './file-form.ts';

/** The media type of a body with files. */
export const FORM_DATA = 'multipart/form-data';

/** Throws 400, 413 or 415 for an upload whose headers tell that it is refused. */
export function assertUpload(http: IncomingMessage, rule: UploadRule): void {
  const { 'content-length': length, 'content-encoding': encoding } = http.headers;
  const isStream = http.headers['transfer-encoding'] !== undefined;
  if (!isStream && !(Number(length ?? 0) > 0)) {
    throw invalidRequest([bodyFault(rule.field, 'required', 'is required')]);
  }
  if (mediaTypeOf(http).type !== FORM_DATA) {
    throw new Problem(UnsupportedMediaType, `The body must be ${FORM_DATA}.`);
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem(UnsupportedMediaType, 'The body must not be compressed.');
  }
  if (Number(length ?? 0) > rule.maxBytes + FORM_OVERHEAD_BYTES) throw tooLarge(rule);
}
