import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ReadBody } from '../body.ts';
import { createBodyReader } from '../body-reader.ts';

const MIB = 1024 * 1024;
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const memoryOf = (part: 'heapUsed' | 'arrayBuffers'): number => {
  collectGarbage();
  return process.memoryUsage()[part];
};

/** A reader of a plain body, and the bodies that it has read. */
function plainReader() {
  const read: ReadBody[] = [];
  const reader = createBodyReader(
    undefined,
    { maxBytes: MIB, truncate: false },
    {
      onRead: (body) => read.push(body),
      onError: (error) => {
        throw error;
      },
      pause: () => undefined,
      resume: () => undefined,
    },
  );
  return { read, reader };
}

test('a body of 1 MiB in chunks of one byte takes less than 8 MiB of heap, and is whole', () => {
  const { read, reader } = plainReader();
  const before = memoryOf('heapUsed');
  for (let at = 0; at < MIB; at++) reader.write(Buffer.from([at % 251]));
  expect(memoryOf('heapUsed') - before).toBeLessThan(8 * MIB);
  reader.end();
  const whole = Buffer.from(Array.from({ length: MIB }, (_, at) => at % 251));
  expect(read).toHaveLength(1);
  expect(Buffer.compare(read[0]?.bytes ?? Buffer.alloc(0), whole)).toBe(0);
});

test('a body of short chunks keeps no memory of what stood between the chunks', async () => {
  const { read, reader } = plainReader();
  const before = memoryOf('arrayBuffers');
  for (let at = 0; at < 1_000; at++) reader.write(Buffer.alloc(64 * 1024, at % 251).subarray(0, 1));
  const grown = () => memoryOf('arrayBuffers') - before;
  // The memory of collected buffers is given back by another thread.
  for (let look = 0; look < 100 && grown() >= MIB; look++) await sleep(20);
  expect(grown()).toBeLessThan(MIB);
  reader.end();
  expect(read[0]?.bytes).toHaveLength(1_000);
});
