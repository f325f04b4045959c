import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Errors, type ServiceBroker } from 'moleculer';
import type { Meta } from '../../contract/contract-types.ts';
import { NotFound, Problem, Unavailable } from '../../contract/problem.ts';
import type { ReadRequest } from '../../mixins/gateway/gateway-request.ts';
import { streamEvents } from '../../mixins/gateway/steps/stream-events.ts';
import { EventStream, type StreamOptions } from '../helpers/event-stream.ts';
import { waitFor } from '../helpers/wait.ts';

/** Bytes of the one event of each page, more than the sockets take of a client that does not read. */
const PAGE_BYTES = 200_000;
const PAGES = 100;

let calls: number;
/** What the next calls meet in place of a page. */
let failures: Error[];
let response: ServerResponse | undefined;
let stopping: AbortController;
let identified: number;
/** Milliseconds that each page takes. */
let delayMs: number;
let accessChecks: number;

const pageOf = (id: number) => ({
  events: [{ id, event: 'step', data: 'x'.repeat(PAGE_BYTES) }],
  next: id === PAGES ? null : String(id),
});
const broker = {
  call: async (_name: string, _params: object, { meta }: { meta: Meta }) => {
    const failure = failures.shift();
    if (failure) throw failure;
    if (meta.accessOnly) {
      accessChecks += 1;
      return null;
    }
    if (meta.next && delayMs) await sleep(delayMs);
    calls += 1;
    return pageOf(Number(meta.next ?? 0) + 1);
  },
} as unknown as ServiceBroker;

const server = createServer((http, to) => {
  response = to;
  const request = {
    http,
    response: to,
    stopping: stopping.signal,
    route: { action: 'things.follow', contract: {} },
    params: {},
    faults: [],
  } as unknown as ReadRequest;
  const identify = async () => {
    identified += 1;
    return request;
  };
  void streamEvents(broker, request, identify);
});
const follow = (options: StreamOptions = {}) =>
  new EventStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '/', options);

/** Waits until the client's and the kernel's buffers take no more bytes: no page is called for between two looks. */
async function buffersToBeFull(): Promise<void> {
  let before = 0;
  await waitFor('full buffers', () => {
    const isFull = response?.writableNeedDrain && calls === before;
    before = calls;
    return isFull;
  });
}

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
beforeEach(() => {
  [calls, identified, failures, stopping] = [0, 0, [], new AbortController()];
  [delayMs, accessChecks] = [0, 0];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('a client that does not read holds one page, and gets every event once it reads', async () => {
  const stream = follow({ pauseAfter: 1 });
  await stream.until('an event', () => true);
  await buffersToBeFull();
  expect(calls).toBeLessThan(PAGES);
  expect(response?.writableLength).toBeLessThan(2 * PAGE_BYTES);
  stream.resume();
  await stream.ended();
  expect(stream.events.map(({ id }) => id)).toEqual(Array.from({ length: PAGES }, (_, n) => n + 1));
  expect(stream.otherLines).toEqual([]);
  expect(identified).toBe(PAGES - 1 + accessChecks); // before each call but the first, and before each check
});

test('a first call that is lost with its process is made again', async () => {
  failures = [new Errors.RequestTimeoutError({ action: 'things.follow', nodeID: 'dead' })];
  const stream = await follow().ended();
  expect(stream.events).toHaveLength(PAGES);
});

test('a service that is away for a moment interrupts no stream', async () => {
  const stream = follow({ pauseAfter: 1 });
  await stream.until('an event', () => true);
  failures = [new Problem(Unavailable, 'away'), new Error('no process of things')];
  stream.resume();
  await stream.ended();
  expect(stream.events).toHaveLength(PAGES);
});

test('a refusal ends the stream, whose client connects again and is told', async () => {
  const stream = follow({ pauseAfter: 1 });
  await stream.until('an event', () => true);
  failures = [new Problem(NotFound, 'no member any more')];
  stream.resume();
  await stream.ended();
  expect(stream.events.length).toBeLessThan(PAGES);
  expect(stream.otherLines).toEqual(['retry: 1000']);
});

test('the access is checked again before an event that was waited for is sent', async () => {
  delayMs = 150;
  const stream = follow();
  await stream.until('an event that was waited for', ({ id }) => id === 2);
  expect(accessChecks).toBeGreaterThan(0);
  const checksBefore = accessChecks;
  await waitFor('a call', () => accessChecks > checksBefore);
  const { length } = stream.events;
  await sleep(50); // the next call waits
  failures = [new Problem(NotFound, 'no member any more')]; // for the check after the call
  await stream.ended();
  expect(stream.events.length).toBeLessThanOrEqual(length + 1);
  expect(stream.otherLines).toEqual(['retry: 1000']);
});

test('a stopping gateway ends the stream of a client that does not read', async () => {
  const stream = follow({ pauseAfter: 1 });
  await stream.until('an event', () => true);
  await buffersToBeFull();
  stopping.abort();
  await waitFor('the end', () => response?.writableEnded);
  stream.resume();
  await stream.ended();
  expect(stream.otherLines).toEqual(['retry: 1000']);
});
