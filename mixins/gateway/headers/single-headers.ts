import type { IncomingMessage } from 'node:http';
import { BadRequest, type FieldFault, invalidRequest, Problem } from '../../../contract/problem.ts';

/** Counts the lines of a header. Node drops or joins the second line, and a proxy may have used the other line. */
function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    if (sent?.length === name.length && sent.toLowerCase() === name) times++;
  }
  return times;
}

/** Throws 400 for a request that names no host, or several (RFC 9112, section 3.2). */
export function assertOneHost(req: IncomingMessage): void {
  const hosts = countHeader(req, 'host');
  if (hosts > 1) throw new Problem(BadRequest, 'There is more than one Host header.');
  if (hosts === 0 && req.httpVersion === '1.1') {
    throw new Problem(BadRequest, 'There is no Host header.');
  }
}

/** The headers that name the caller, by their lower-case name. */
const CREDENTIALS = { authorization: 'Authorization', 'x-api-key': 'X-API-KEY' };

/** Throws 400 for a request with two tokens or two keys. */
export function assertOneCredential(req: IncomingMessage): void {
  const faults = Object.entries(CREDENTIALS)
    .filter(([name]) => countHeader(req, name) > 1)
    .map(([, path]): FieldFault => ({ in: 'header', path, ...GIVEN_TWICE }));
  if (faults.length) throw invalidRequest(faults);
}

const GIVEN_TWICE = { code: 'given_twice', message: 'is given more than once' };
