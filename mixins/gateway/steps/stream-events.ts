import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Errors, type ServiceBroker } from 'moleculer';
import type { EventPage, StreamedEvent } from '../../../contract/event-page.ts';
import { Problem } from '../../../contract/problem.ts';
import type { IdentifiedRequest, ReadRequest, RoutedRequest } from '../gateway-request.ts';
import { callAction } from './call.ts';

/** Milliseconds between two comments on a stream, which show proxies and clients that the connection lives. */
const COMMENT_MS = 15_000;
/** Milliseconds after which a client shall connect again to another gateway. */
const RETRY_MS = 1_000;
/** Milliseconds between two attempts while the service of a stream cannot be reached. */
const PAUSE_MS = 1_000;
/** Milliseconds for which the service of a stream may be away. Then the stream ends, and its client connects again. */
const MAX_AWAY_MS = 60_000;

type Identify = (request: RoutedRequest) => Promise<IdentifiedRequest>;

/**
 * Answers a request with a stream of events: the action is called for one page after another, and waits itself where
 * there is no event. A page is called for when the client has read the page before, so that a slow reader holds one page.
 * The caller is identified before each call, and each call passes the access check: a stream ends with the right to it.
 * Throws the refusal of the first call. Resolves when the response has ended.
 */
export async function streamEvents(
  broker: ServiceBroker,
  request: ReadRequest,
  identify: Identify,
): Promise<void> {
  const { http, response, stopping } = request;
  let page = await firstPage(broker, request);
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no', // nginx would collect the events
  });
  if (http.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  const gone = goneOf(response, stopping);
  const comments = setInterval(() => writeComment(response), COMMENT_MS);
  try {
    while (!gone.aborted) {
      await write(response, page.events.map(textOf).join(''), gone);
      if (page.next === null || gone.aborted) break;
      const next = await nextPage(broker, request, identify, page.next, gone);
      if (!next) break;
      page = next;
    }
  } finally {
    clearInterval(comments);
    endStream(response, page.next !== null);
  }
}

/** Calls for the first page, and once more where the process that had the call has died: the call reads only. */
async function firstPage(broker: ServiceBroker, request: ReadRequest): Promise<EventPage> {
  const call = async () => (await callAction(broker, request)) as EventPage;
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Errors.RequestTimeoutError)) throw error;
    return call();
  }
}

/** Aborted when the client has gone or the gateway stops. */
function goneOf(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  if (response.closed) closed.abort();
  return AbortSignal.any([closed.signal, stopping]);
}

/**
 * Calls for the next page, again and again while the service cannot be reached. Returns null when the stream has to
 * end: the client has gone, or the caller may not read it any more.
 */
async function nextPage(
  broker: ServiceBroker,
  request: ReadRequest,
  identify: Identify,
  next: string,
  gone: AbortSignal,
): Promise<EventPage | null> {
  const since = performance.now();
  for (;;) {
    try {
      const call = async () => {
        await identify(request);
        return callAction(broker, request, { next });
      };
      return (await unlessGone(call(), gone)) as EventPage | null;
    } catch (error) {
      if (!isTransient(error) || performance.now() - since > MAX_AWAY_MS) return null;
      await sleep(PAUSE_MS, undefined, { signal: gone }).catch(() => undefined);
      if (gone.aborted) return null;
    }
  }
}

/** Whether an error tells nothing of the stream: a dependency is away, or a call took too long. */
const isTransient = (error: unknown): boolean => !(error instanceof Problem) || error.code >= 500;

/** Awaits a call; null as soon as the stream has to end. The result of such a call is dropped. */
async function unlessGone<T>(call: Promise<T>, gone: AbortSignal): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const end = () => resolve(null);
  gone.addEventListener('abort', end, { once: true });
  if (gone.aborted) end();
  try {
    return await Promise.race([call, promise]);
  } finally {
    gone.removeEventListener('abort', end);
    call.catch(() => undefined);
  }
}

const textOf = ({ id, event, data }: StreamedEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Writes a text, and waits until the client has read what was written. */
async function write(response: ServerResponse, text: string, gone: AbortSignal): Promise<void> {
  if (text === '' || response.write(text)) return;
  await once(response, 'drain', { signal: gone }).catch(() => undefined);
}

/** Writes a comment, unless the client has not read earlier texts yet. */
function writeComment(response: ServerResponse): void {
  if (!response.writableNeedDrain) response.write(':\n\n');
}

/** Ends a stream. A client whose stream was cut short is told when to connect again. */
function endStream(response: ServerResponse, isCut: boolean): void {
  if (response.closed) return;
  response.end(isCut ? `retry: ${RETRY_MS}\n\n` : undefined);
}
