import { setTimeout as sleep } from 'node:timers/promises';

interface Sampling {
  samples?: number;
  /** Between two samples; with the default a caller's rate limit is far. */
  pauseMs?: number;
}

const WARM_UP = 5;

/** Returns the median of the milliseconds of a request, sent one after another. The first few do not count. */
export async function medianMs(
  work: () => Promise<unknown>,
  { samples = 40, pauseMs = 20 }: Sampling = {},
): Promise<number> {
  const taken: number[] = [];
  for (let n = -WARM_UP; n < samples; n++) {
    const began = performance.now();
    await work();
    if (n >= 0) taken.push(performance.now() - began);
    await sleep(pauseMs);
  }
  taken.sort((a, b) => a - b);
  return taken[samples >> 1] ?? Number.NaN;
}

/** Throws when an answer has another status than the one it must have. */
export async function answersWith(
  status: number,
  answer: Promise<{ status: number; text: string }>,
): Promise<void> {
  const { status: found, text } = await answer;
  if (found !== status) throw new Error(`answered ${found} in place of ${status}: ${text}`);
}
