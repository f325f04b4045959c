import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { IncomingStream } from '../incoming-stream.ts';
import { OutgoingStream } from '../outgoing-stream.ts';

/** Milliseconds; no test waits as long. */
const IDLE_TIMEOUT_MS = 60_000;

/** Connects both ends within this process. */
function connect(source: Readable): { outgoing: OutgoingStream; incoming: IncomingStream } {
  const outgoing = new OutgoingStream(
    source,
    {
      data: (sequence, payload) => setImmediate(() => incoming.receive(sequence, payload)),
      end: (sequence) => setImmediate(() => incoming.receiveEnd(sequence)),
      error: (error) => setImmediate(() => incoming.receiveError(error)),
      onClose: () => undefined,
    },
    IDLE_TIMEOUT_MS,
  );
  const incoming: IncomingStream = new IncomingStream(
    {
      credit: (bytes) => setImmediate(() => outgoing.addCredit(bytes)),
      cancel: () => outgoing.destroy(new Error('cancelled')),
      onClose: () => undefined,
    },
    { objectMode: source.readableObjectMode, idleTimeoutMs: IDLE_TIMEOUT_MS },
  );
  return { outgoing, incoming };
}

/** A source of ten megabytes, and the number of bytes that it has produced. */
function largeSource(): { source: Readable; produced(): number } {
  let produced = 0;
  async function* chunks() {
    for (; produced < 10_000_000; produced += 10_000) yield Buffer.alloc(10_000, 1);
  }
  return { source: Readable.from(chunks(), { objectMode: false }), produced: () => produced };
}

test('a source is not read while its reader does not read', async () => {
  const { source, produced } = largeSource();
  const { incoming } = connect(source);
  await sleep(100);
  expect(produced()).toBeGreaterThan(0);
  expect(produced()).toBeLessThan(1_000_000);
  let bytes = 0;
  for await (const chunk of incoming) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(10_000_000);
});

test('a source that is destroyed while it waits for credit ends its reader', async () => {
  const { source } = largeSource();
  const { incoming } = connect(source);
  await sleep(100);
  source.destroy(new Error('aborted'));
  await expect(incoming.toArray()).rejects.toThrow('aborted');
});

test('a part that is missing ends the stream with an error', async () => {
  const { source } = largeSource();
  const { incoming } = connect(source);
  incoming.receive(7, Buffer.from('x'));
  await expect(incoming.toArray()).rejects.toThrow('a part is missing');
  expect(source.destroyed).toBe(true);
});

test('a reader that is destroyed ends the source', async () => {
  const { source } = largeSource();
  const { incoming } = connect(source);
  await sleep(20);
  incoming.destroy();
  await sleep(20);
  expect(source.destroyed).toBe(true);
});
