import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAfterUnreadBody } from '../connections/unread-body.ts';
import type { Reply } from '../reply.ts';

/** Statuses of responses that have neither body nor `Content-Length` (RFC 9110, section 8.6). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/**
 * Sends a reply. A response whose headers were sent already is cut off. A connection whose client still sends its body is
 * closed after the reply; `lingerMs` are the milliseconds for which that body is read before.
 */
export async function send(
  http: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, file }: Reply,
  lingerMs = 0,
): Promise<void> {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  closeAfterUnreadBody(response);
  response.writeHead(status, { ...headers, ...lengthOf(status, body, file) });
  if (http.method === 'HEAD' || (body === null && !file)) response.end();
  else if (file) await pipeline(createReadStream(file), response).catch(() => response.destroy());
  else if (http.complete || lingerMs === 0) response.end(body);
  else {
    response.write(body);
    await dropRest(http, lingerMs);
    response.end();
  }
}

/** Reads the rest of a body and drops it, for some milliseconds at most. */
async function dropRest(http: IncomingMessage, ms: number): Promise<void> {
  http.resume();
  const ended = finished(http, { writable: false }).catch(() => undefined);
  await Promise.race([ended, sleep(ms)]);
}

function lengthOf(status: number, body: string | null, file?: string): Record<string, number> {
  if (file || BODILESS.has(status)) return {};
  return { 'Content-Length': body === null ? 0 : Buffer.byteLength(body) };
}
