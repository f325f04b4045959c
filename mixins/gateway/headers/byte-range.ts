import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { parse } from 'range-parser';
import type { ByteRange } from '../../../contract/file-answer.ts';
import { Problem, RangeNotSatisfiable } from '../../../contract/problem.ts';

/** Characters of a `Range`. A longer header is not read, as one that is malformed. */
const MAX_LENGTH = 100;
const MALFORMED = 1;

/**
 * The part of a file that a request asks for (RFC 9110, section 14.2); null for the whole file. A malformed `Range`, one
 * of several parts, and one whose `If-Range` names another ETag are as none. Throws 416 for a part that the file does not
 * have.
 */
export function byteRangeOf(
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  response: ServerResponse,
  { size, etag }: { size: number; etag: string },
): ByteRange | null {
  if (range === undefined || range.length > MAX_LENGTH) return null;
  if (ifRange !== undefined && ifRange !== etag) return null;
  const { code, type, ranges } = parse(size, range);
  if (type !== 'bytes' || (code & MALFORMED) !== 0 || ranges.length > 1) return null;
  const [only] = ranges;
  if (only) return only;
  response.setHeader('Content-Range', `bytes */${size}`);
  throw new Problem(RangeNotSatisfiable, `The file has ${size} bytes.`);
}
