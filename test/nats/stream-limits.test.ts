import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { TooManyStreamsError } from '@workspace-automation/moleculer-nats';
import { nodes } from '../fixtures/nodes.ts';
import { countedSource, streamService } from '../helpers/stream-service.ts';
import { failureOf, waitFor } from '../helpers/wait.ts';

const IDLE_TIMEOUT_MS = 1_000;
const MAX_OPEN = 4;
const MANY_BYTES = 30_000_000;
const STOOD_STILL = /it stood still for \d+ ms/;

let told: string[] = [];
const service = streamService((line) => told.push(line));
service.actions = { ...service.actions, silent: () => new Readable({ read: () => undefined }) };
const limits = { idleTimeoutMs: IDLE_TIMEOUT_MS, maxOpen: MAX_OPEN };

const { node, hostile } = nodes();
const caller = node('caller', { limits });
const callee = node('callee', { limits, service });
/** A reader with the default idle timeout, which a busy machine does not reach. */
const patient = node('patient');
beforeAll(() => caller.untilOffered('streams.source'));
afterEach(async () => {
  told = [];
  await waitFor(
    'the end of all streams',
    () => caller.transporter.streams.openCount + callee.transporter.streams.openCount === 0,
  );
});

const open = (action: string, params: object = {}): Promise<Readable> =>
  caller.call(action, params);
const send = (action: string, stream: Readable): Promise<unknown> =>
  caller.call(action, {}, { stream, timeout: 60_000 });
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
    const { id } = callee.transporter.streams.offer(source);
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

const sendFrame = (nodeID: string, head: object, payload = ''): void =>
  hostile.send(`STREAM.${nodeID}`, `${JSON.stringify(head)}\n${payload}`);

describe('a sender that ignores back pressure is cut off', () => {
  it.each([
    ['large parts', 100_000],
    ['empty parts', 0],
    ['a part larger than any', 800_000],
  ])('with %s', async (_, size) => {
    const cancelled = hostile.listen('MOL-calls-test.STREAM.hostile');
    await hostile.flush();
    const id = `flood-${size}`;
    const stream = patient.transporter.streams.open({ id, node: 'hostile', objectMode: false });
    const failure = failureOf(finished(stream));
    for (let sequence = 0; sequence < 2_000 && !stream.destroyed; sequence++) {
      sendFrame('patient', { type: 'data', id, sequence }, 'x'.repeat(size));
      if (sequence % 50 === 0) await hostile.flush();
    }
    expect((await failure).message).toContain('its sender has sent more than its window');
    await waitFor('the word to the sender', () =>
      cancelled.some((frame) => frame.includes('more than its window')),
    );
  });
});

it.each([
  ['a credit that is no number', { type: 'credit', node: 'hostile', bytes: 'many' }],
  ['a credit below nothing', { type: 'credit', node: 'hostile', bytes: -1 }],
  ['a credit without a node', { type: 'credit', bytes: 5 }],
  ['a type that there is not', { type: 'open' }],
])('%s does not open a stream', async (_, frame) => {
  const { source, read } = countedSource(MANY_BYTES);
  const { streams } = callee.transporter;
  const { id } = streams.offer(source);
  sendFrame('callee', { ...frame, id });
  await hostile.flush();
  await caller.call('streams.ignore');
  expect(read()).toBe(0);
  streams.withdraw(id);
});

it('a receiver that claims endless credit gets one window', async () => {
  const { source, read } = countedSource(MANY_BYTES);
  const { id } = callee.transporter.streams.offer(source);
  const closed = failureOf(finished(source));
  sendFrame('callee', { type: 'credit', id, node: 'hostile', bytes: Number.MAX_SAFE_INTEGER });
  await waitFor('the first part', () => read() > 0);
  await sleep(IDLE_TIMEOUT_MS / 2);
  expect(read()).toBeLessThan(1_500_000);
  sendFrame('callee', { type: 'cancel', id, reason: 'enough' });
  await closed;
});

it('a process takes a bounded number of streams, and refuses further ones until one has ended', async () => {
  const unread = Array.from({ length: MAX_OPEN }, () =>
    open('streams.source', { bytes: MANY_BYTES }),
  );
  const streams = await Promise.all(unread);
  const refusal = await failureOf(open('streams.source', { bytes: 10 }));
  expect(refusal).toMatchObject({ code: 503, type: 'TOO_MANY_STREAMS' });
  const { source } = countedSource(MANY_BYTES);
  expect(await failureOf(send('streams.count', source))).toBeInstanceOf(TooManyStreamsError);
  expect(source.destroyed).toBe(true);
  for (const stream of streams) stream.destroy();
  await waitFor('the end of all streams', () => callee.transporter.streams.openCount === 0);
  expect((await buffer(await open('streams.source', { bytes: 10 }))).length).toBe(10);
});
