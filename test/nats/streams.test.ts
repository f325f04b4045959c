import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import { nodes } from '../fixtures/nodes.ts';
import type { CalleeProcess } from '../helpers/callee.ts';
import { countedSource, streamService } from '../helpers/stream-service.ts';
import { failureOf } from '../helpers/wait.ts';

const MANY_BYTES = 30_000_000;
/** Bytes that may be under way between a source and a reader that reads nothing. */
const MAX_AHEAD = 1_500_000;

const { node, callee: startProcess } = nodes();
const caller = node('caller');
let callee: CalleeProcess;
let names = 0;
const startCallee = () => startProcess(`streams-${++names}`, caller);

beforeAll(async () => {
  callee = await startCallee();
});

const open = (action: string, params: object = {}): Promise<Readable> =>
  caller.call(action, params);
const send = (action: string, stream: Readable): Promise<unknown> =>
  caller.call(action, {}, { stream, timeout: 60_000 });
/** Waits until the number stays the same for a while. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; before !== count(); await sleep(500)) before = count();
  return count();
}

test('a request stream arrives whole', async () => {
  const { source } = countedSource(MANY_BYTES);
  expect(await send('streams.count', source)).toBe(MANY_BYTES);
});

test('a response stream arrives whole, and its source ends', async () => {
  expect((await buffer(await open('streams.source', { bytes: MANY_BYTES }))).length).toBe(
    MANY_BYTES,
  );
  await callee.untilSaid('source ended');
});

test('both ways at once, and objects', async () => {
  const doubled = (await send('streams.double', Readable.from([Buffer.from('ab')]))) as Readable;
  expect((await buffer(doubled)).toString()).toBe('abab');
  expect(await (await open('streams.objects')).toArray()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('the source of a request is paused while the action does not read', async () => {
  const { source, read } = countedSource(MANY_BYTES);
  const answer = failureOf(send('streams.hold', source));
  await callee.untilSaid('holding');
  const ahead = await settled(read);
  expect(ahead).toBeGreaterThan(0);
  expect(ahead).toBeLessThan(MAX_AHEAD);
  source.destroy(new Error('the writer aborts'));
  await answer;
  await callee.untilSaid('held stream failed: the writer aborts');
});

test('a response stream waits for a reader that reads late', async () => {
  const stream = await open('streams.source', { bytes: MANY_BYTES });
  await sleep(1_000);
  expect(stream.readableLength).toBeLessThan(MAX_AHEAD);
  let bytes = 0;
  for await (const chunk of stream) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(MANY_BYTES);
});

test('an error of the source reaches the reader', async () => {
  const failure = await failureOf(buffer(await open('streams.failing')));
  expect(failure.message).toBe('the source broke');
});

test('an error that is too large for a message ends the stream, and no process', async () => {
  const failure = await failureOf(buffer(await open('streams.failingAtLength')));
  expect(failure.message).toBe('The stream was closed: its source failed.');
});

test('a reader that aborts ends the source', async () => {
  const stream = await open('streams.source', { bytes: MANY_BYTES });
  await once(stream, 'data');
  stream.destroy();
  await callee.untilSaid('source failed: The stream was closed: its reader has cancelled it.');
});

test.each(['ignore', 'refuse'])(
  'an action that does not read its stream ends the source: %s',
  async (name) => {
    const { source } = countedSource(MANY_BYTES);
    const closed = failureOf(finished(source));
    await send(`streams.${name}`, source).catch(() => undefined);
    expect((await closed).message).not.toBe('none');
  },
);

test('a call with a stream is carried out once', async () => {
  const other = await startCallee();
  const { source } = countedSource(3_000_000);
  expect(await send('streams.count', source)).toBe(3_000_000);
  await other.kill();
});

test('the reader of a killed process gets an error', async () => {
  const stream = await open('streams.source', { bytes: MANY_BYTES });
  await once(stream, 'data');
  stream.pause();
  await callee.kill();
  const since = performance.now();
  expect((await failureOf(finished(stream))).message).toMatch(
    /its other end at streams-\d+ is gone/,
  );
  expect(performance.now() - since).toBeLessThan(10_000);
  callee = await startCallee();
});

test('the source of a call whose process was killed is closed', async () => {
  const { source } = countedSource(MANY_BYTES);
  const answer = failureOf(send('streams.hold', source));
  await callee.untilSaid('holding');
  const ended = failureOf(finished(source));
  await callee.kill();
  expect((await ended).message).not.toBe('none');
  expect((await answer).name).toBe('RequestTimeoutError');
  callee = await startCallee();
});

test('a lost connection ends the streams of both sides', async () => {
  const stream = await open('streams.source', { bytes: MANY_BYTES });
  await once(stream, 'data');
  stream.pause();
  const ended = failureOf(finished(stream));
  await caller.transporter.client?.close();
  expect((await ended).message).toContain('the connection ended');
  await callee.untilSaid('source failed: The stream was closed: its other end at caller is gone.');
});

test('streams work within one process', async () => {
  const broker = new ServiceBroker({ logger: false });
  broker.createService(streamService(() => undefined));
  await broker.start();
  const { source } = countedSource(3_000_000);
  expect(await broker.call('streams.count', {}, { stream: source })).toBe(3_000_000);
  expect(
    (await buffer(await broker.call<Readable, object>('streams.source', { bytes: 10 }))).length,
  ).toBe(10);
  await broker.stop();
});
