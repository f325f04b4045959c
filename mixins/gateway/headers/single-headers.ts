import type { IncomingMessage } from 'node:http';
import { BadRequest, type FieldFault, invalidRequest, Problem } from '../../../contract/problem.ts';

/** How often a header was sent. Node drops or joins the second one, and a proxy may have read the other. */
function timesSent({ rawHeaders }: IncomingMessage, name: string): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    if (sent?.length === name.length && sent.toLowerCase() === name) times++;
  }
  return times;
}

/** Throws 400 for a request that names no host, or several (RFC 9112, section 3.2). */
export function assertOneHost(req: IncomingMessage): void {
  const hosts = timesSent(req, 'host');
  if (hosts > 1) throw new Problem(BadRequest, 'There is more than one Host header.');
  if (hosts === 0 && req.httpVersion === '1.1') {
    throw new Problem(BadRequest, 'There is no Host header.');
  }
}

/** By their lower-case name, the headers that say who is calling. */
const CREDENTIALS = { authorization: 'Authorization', 'x-api-key': 'X-API-KEY' };

/** Throws 400 for a request with two tokens or two keys. */
export function assertOneCredential(req: IncomingMessage): void {
  const faults = Object.entries(CREDENTIALS)
    .filter(([name]) => timesSent(req, name) > 1)
    .map(([, path]): FieldFault => ({ in: 'header', path, ...GIVEN_TWICE }));
  if (faults.length) throw invalidRequest(faults);
}

const GIVEN_TWICE = { code: 'given_twice', message: 'is given more than once' };
