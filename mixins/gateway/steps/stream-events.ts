import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Errors, type ServiceBroker } from 'moleculer';
import type { EventPage, StreamedEvent } from '../../../contract/event-page.ts';
import { Problem } from '../../../contract/problem.ts';
import type { IdentifiedRequest, ReadRequest, RoutedRequest } from '../gateway-request.ts';
import type { Reply } from '../reply.ts';
import { closeSignalOf, EventResponse } from '../streams/event-response.ts';
import { assertAccess, callAction } from './call.ts';
import { statusOf } from './render.ts';

/** Milliseconds after which a client shall connect again to another gateway. */
const RETRY_MS = 1_000;
/** Milliseconds between two attempts to call for a page while the service of a stream cannot be reached. */
const PAUSE_MS = 1_000;
/** Milliseconds of a call after which the access is checked once more, before the events of its page are sent. */
const MAX_CHECK_AGE_MS = 100;
/** Milliseconds for which the service of a stream may be away. Then the stream ends, and its client connects again. */
const MAX_AWAY_MS = 60_000;

type Identify = (request: RoutedRequest) => Promise<IdentifiedRequest>;

/**
 * Answers a request with a stream of events: calls the action for a page once the client has read the page before, and
 * identifies the caller before each call. Throws the refusal of the first call. Resolves with null when the response has
 * ended, or with the reply to a client that has every event, whose `EventSource` shall not connect again.
 */
export async function streamEvents(
  broker: ServiceBroker,
  request: ReadRequest,
  identify: Identify,
): Promise<Reply | null> {
  const { http, response, stopping, route } = request;
  let page = await firstPage(broker, request);
  const status = statusOf(route.contract, page);
  if (status === 204) return { status, headers: { 'Cache-Control': 'no-store' }, body: null };
  const stream = new EventResponse(response);
  stream.begin();
  if (http.method === 'HEAD') {
    stream.end();
    return null;
  }
  const endSignal = endSignalOf(response, stopping);
  try {
    while (!endSignal.aborted) {
      await stream.write(page.events.map(textOf).join(''), endSignal);
      if (page.next === null || endSignal.aborted) break;
      const next = await nextPage(broker, request, identify, page.next, endSignal);
      if (!next) break;
      page = next;
    }
  } finally {
    // A client whose stream was cut short is told when to connect again.
    stream.end(page.next === null ? undefined : `retry: ${RETRY_MS}\n\n`);
  }
  return null;
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

/** Makes the signal that is aborted when the client has gone or the gateway stops. */
const endSignalOf = (response: ServerResponse, stopping: AbortSignal): AbortSignal =>
  AbortSignal.any([closeSignalOf(response), stopping]);

/**
 * Calls for the next page, again and again while the service cannot be reached. Returns null when the stream has to
 * end: the client has gone, or the caller may not read it any more.
 */
async function nextPage(
  broker: ServiceBroker,
  request: ReadRequest,
  identify: Identify,
  next: string,
  endSignal: AbortSignal,
): Promise<EventPage | null> {
  const since = performance.now();
  for (;;) {
    try {
      return await awaitUnlessEnded(callForPage(broker, request, identify, next), endSignal);
    } catch (error) {
      if (!isTransient(error) || performance.now() - since > MAX_AWAY_MS) return null;
      await sleep(PAUSE_MS, undefined, { signal: endSignal }).catch(() => undefined);
      if (endSignal.aborted) return null;
    }
  }
}

/** Calls for the page at `next`. A page that the action has waited for is checked again: rights end within a second. */
async function callForPage(
  broker: ServiceBroker,
  request: ReadRequest,
  identify: Identify,
  next: string,
): Promise<EventPage> {
  const since = performance.now();
  await identify(request);
  const page = (await callAction(broker, request, { meta: { next } })) as EventPage;
  if (page.events.length && performance.now() - since > MAX_CHECK_AGE_MS) {
    await identify(request);
    await assertAccess(broker, request);
  }
  return page;
}

/** Whether an error may pass: a dependency is away, or a call took too long. */
const isTransient = (error: unknown): boolean => !(error instanceof Problem) || error.code >= 500;

/** Awaits a call. Returns null as soon as the stream has to end, and drops the later result of the call. */
async function awaitUnlessEnded<T>(call: Promise<T>, endSignal: AbortSignal): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const end = () => resolve(null);
  endSignal.addEventListener('abort', end, { once: true });
  if (endSignal.aborted) end();
  try {
    return await Promise.race([call, promise]);
  } finally {
    endSignal.removeEventListener('abort', end);
    call.catch(() => undefined);
  }
}

const textOf = ({ id, event, data }: StreamedEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
