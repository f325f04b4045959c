import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ReadBody } from '../body.ts';
import { createBodyReader } from '../body-reader.ts';

const MIB = 1024 * 1024;
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const heapUsed = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

test('a body of 1 MiB in chunks of one byte takes less than 8 MiB of heap, and is whole', () => {
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
  const before = heapUsed();
  for (let at = 0; at < MIB; at++) reader.write(Buffer.from([at % 251]));
  expect(heapUsed() - before).toBeLessThan(8 * MIB);
  reader.end();
  const whole = Buffer.from(Array.from({ length: MIB }, (_, at) => at % 251));
  expect(read).toHaveLength(1);
  expect(Buffer.compare(read[0]?.bytes ?? Buffer.alloc(0), whole)).toBe(0);
});
