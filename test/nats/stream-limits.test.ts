import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionOf, TooManyStreamsError } from '@workspace-automation/moleculer-nats';
import type { ServiceBroker } from 'moleculer';
import { connect, type NatsConnection } from 'nats';
import { brokerOn, transporterOf } from '../helpers/brokers.ts';
import { killNats, TestNats } from '../helpers/nats.ts';
import { countedSource, streamService } from '../helpers/stream-service.ts';
import { waitFor } from '../helpers/wait.ts';

const IDLE_TIMEOUT_MS = 1_000;
const MAX_OPEN = 4;
const MANY_BYTES = 30_000_000;
const STOOD_STILL = /it stood still for \d+ ms/;

let nats: TestNats;
let caller: ServiceBroker;
let callee: ServiceBroker;
/** A reader with the default idle timeout, which a busy machine does not reach. */
let patient: ServiceBroker;
/** A process that speaks to nodes as another node may. */
let hostile: NatsConnection;
let told: string[] = [];

beforeAll(async () => {
  nats = await TestNats.start();
  const limits = { idleTimeoutMs: IDLE_TIMEOUT_MS, maxOpen: MAX_OPEN };
  caller = brokerOn(nats.url, 'caller', limits).broker;
  callee = brokerOn(nats.url, 'callee', limits).broker;
  patient = brokerOn(nats.url, 'patient').broker;
  const service = streamService((line) => told.push(line));
  service.actions = { ...service.actions, silent: () => new Readable({ read: () => undefined }) };
  callee.createService(service);
  await Promise.all([caller.start(), callee.start(), patient.start()]);
  await caller.waitForServices('streams');
  hostile = await connect(connectionOf(nats.url));
});
afterEach(async () => {
  told = [];
  await waitFor('the end of all streams', () => {
    const { streams } = transporterOf(caller);
    return streams.openCount + transporterOf(callee).streams.openCount === 0;
  });
});
afterAll(async () => {
  await hostile.close();
  for (const { options } of [caller, callee, patient]) {
    options.tracking = { enabled: true, shutdownTimeout: 1 };
  }
  await Promise.all([caller.stop(), callee.stop(), patient.stop()]);
  await killNats();
});

const open = (action: string, params: object = {}): Promise<Readable> =>
  caller.call<Readable, object>(action, params);
const send = (action: string, stream: Readable): Promise<unknown> =>
  caller.call(action, {}, { stream, timeout: 60_000 });
const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('none'),
    (error) => error,
  );
const untilTold = (pattern: RegExp) =>
  waitFor(String(pattern), () => told.some((line) => pattern.test(line)));

describe('a stream that stands still ends with an error at both ends', () => {
  it('a response whose reader reads nothing', async () => {
    const stream = await open('streams.source', { bytes: MANY_BYTES });
    expect((await failureOf(finished(stream))).message).toMatch(STOOD_STILL);
    await untilTold(/source failed: .*it stood still/);
  });

  it('a request whose action reads no further', async () => {
    const { source } = countedSource(MANY_BYTES);
    const answer = failureOf(send('streams.hold', source));
    expect((await failureOf(finished(source))).message).toMatch(STOOD_STILL);
    await untilTold(/held stream failed: .*it stood still/);
    await answer;
  });

  it('a source that produces nothing', async () => {
    const stream = await open('streams.silent');
    expect((await failureOf(buffer(stream))).message).toMatch(STOOD_STILL);
  });

  it('a receiver that gives credit once and is never heard of again', async () => {
    const { source } = countedSource(MANY_BYTES);
    const { id } = transporterOf(callee).streams.offer(source);
    sendFrame('callee', { type: 'credit', id, node: 'hostile', bytes: 1_000 });
    expect((await failureOf(finished(source))).message).toMatch(STOOD_STILL);
  });
});

it('a reader that is slow and alive gets all, however long the stream takes', async () => {
  const stream = await open('streams.source', { bytes: 1_000_000 });
  const since = performance.now();
  let bytes = 0;
  await once(stream, 'readable');
  while (performance.now() - since < 4 * IDLE_TIMEOUT_MS) {
    bytes += (stream.read(100) as Buffer).length;
    await sleep(IDLE_TIMEOUT_MS / 10);
  }
  expect(bytes + (await buffer(stream)).length).toBe(1_000_000);
});

const sendFrame = (node: string, head: object, payload = ''): void =>
  hostile.publish(
    `MOL-calls-test.STREAM.${node}`,
    Buffer.from(`${JSON.stringify(head)}\n${payload}`),
  );

describe('a sender that ignores back pressure is cut off', () => {
  it.each([
    ['large parts', 100_000],
    ['empty parts', 0],
    ['a part larger than any', 800_000],
  ])('with %s', async (_, size) => {
    const cancelled: string[] = [];
    const node = hostile.subscribe('MOL-calls-test.STREAM.hostile', {
      callback: (_error, msg) => cancelled.push(msg.string()),
    });
    await hostile.flush();
    const id = `flood-${size}`;
    const stream = transporterOf(patient).streams.open({ id, node: 'hostile', objectMode: false });
    const failure = failureOf(finished(stream));
    for (let sequence = 0; sequence < 2_000 && !stream.destroyed; sequence++) {
      sendFrame('patient', { type: 'data', id, sequence }, 'x'.repeat(size));
      if (sequence % 50 === 0) await hostile.flush();
    }
    expect((await failure).message).toContain('its sender has sent more than its window');
    await waitFor('the word to the sender', () =>
      cancelled.some((frame) => frame.includes('more than its window')),
    );
    node.unsubscribe();
  });
});

it.each([
  ['a credit that is no number', { type: 'credit', node: 'hostile', bytes: 'many' }],
  ['a credit below nothing', { type: 'credit', node: 'hostile', bytes: -1 }],
  ['a credit without a node', { type: 'credit', bytes: 5 }],
  ['a type that there is not', { type: 'open' }],
])('%s does not open a stream', async (_, frame) => {
  const { source, read } = countedSource(MANY_BYTES);
  const { streams } = transporterOf(callee);
  const { id } = streams.offer(source);
  sendFrame('callee', { ...frame, id });
  await hostile.flush();
  await caller.call('streams.ignore');
  expect(read()).toBe(0);
  streams.withdraw(id);
});

it('a receiver that claims endless credit gets one window', async () => {
  const { source, read } = countedSource(MANY_BYTES);
  const { id } = transporterOf(callee).streams.offer(source);
  const closed = failureOf(finished(source));
  sendFrame('callee', { type: 'credit', id, node: 'hostile', bytes: Number.MAX_SAFE_INTEGER });
  await waitFor('the first part', () => read() > 0);
  await sleep(IDLE_TIMEOUT_MS / 2);
  expect(read()).toBeLessThan(1_500_000);
  sendFrame('callee', { type: 'cancel', id, reason: 'enough' });
  await closed;
});

describe('a process takes a bounded number of streams', () => {
  /** Streams that their reader does not read. */
  const openMany = () =>
    Promise.all(
      Array.from({ length: MAX_OPEN }, () => open('streams.source', { bytes: MANY_BYTES })),
    );

  it('and refuses further ones until one has ended', async () => {
    const streams = await openMany();
    const refusal = await failureOf(open('streams.source', { bytes: 10 }));
    expect(refusal).toMatchObject({ code: 503, type: 'TOO_MANY_STREAMS' });
    const { source } = countedSource(MANY_BYTES);
    expect(await failureOf(send('streams.count', source))).toBeInstanceOf(TooManyStreamsError);
    expect(source.destroyed).toBe(true);
    for (const stream of streams) stream.destroy();
    await waitFor('the end of all streams', () => transporterOf(callee).streams.openCount === 0);
    expect((await buffer(await open('streams.source', { bytes: 10 }))).length).toBe(10);
  });
});
