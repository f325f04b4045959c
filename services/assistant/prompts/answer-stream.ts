import { PassThrough, type Readable } from 'node:stream';
import type { PromptAnswer } from '../contract/prompt-answer.ts';

/** Milliseconds between two spaces, well below the minute after which an idle stream between processes ends. */
const SPACE_MS = 15_000;

/** Makes the stream of an answer. Its reader stops the work by destroying the stream. */
export function streamAnswer(work: (signal: AbortSignal) => Promise<PromptAnswer>): Readable {
  const stream = new PassThrough();
  const closed = new AbortController();
  const timer = setInterval(() => stream.write(' '), SPACE_MS);
  stream.once('close', () => {
    clearInterval(timer);
    closed.abort();
  });
  work(closed.signal).then(
    (answer) => stream.end(JSON.stringify(answer)),
    (error: Error) => stream.destroy(error),
  );
  return stream;
}
