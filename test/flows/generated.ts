/** Files of the corpus that are too large to be stored. */
import type { InvalidFlow, ValidFlow } from './corpus.ts';

/** The largest file, in bytes. */
const LARGEST = 256 * 1024;

/** A flow with a comment that makes it so many bytes long. */
function flowOfBytes(bytes: number): string {
  const start = 'do: [] # ';
  return start.padEnd(bytes - 2, '-').concat('é');
}

export const GENERATED_VALID: ValidFlow[] = [
  { name: 'generated-256-kib', text: flowOfBytes(LARGEST), expected: { output: {} } },
];

export const GENERATED_INVALID: InvalidFlow[] = [
  {
    name: 'generated-256-kib-and-a-byte',
    text: flowOfBytes(LARGEST + 1),
    faults: ['1:1 TEXT_TOO_LARGE'],
  },
];
