import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The form of a client's `X-Request-Id`: it reaches logs, audit entries and a header of the response as it is. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * The id of a request: the client's `X-Request-Id` where it has that form, else a new UUID. A client chooses
 * its id freely, so the id joins log lines and audit entries of a request but proves nothing.
 */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
