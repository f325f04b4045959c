import type { Task } from '@workspace-automation/flow-language';
import { OutboundError } from '@workspace-automation/outbound-http';

/**
 * Milliseconds that a call may take unless its task has a longer timeout. Then the call fails with `TASK_TIMEOUT`.
 */
const DEFAULT_CALL_MS = 60_000;
/**
 * The most milliseconds of a call, even if its task has a longer timeout. Then the call fails with `TASK_TIMEOUT`.
 */
export const MAX_CALL_MS = 10 * 60_000;

/**
 * The most milliseconds of a call of an agent: its turn, for which it waits up to 7 min, and its answer of 2 min, both of
 * which end before by `AGENT_LIMIT`. A call that still has no answer then fails with `TASK_TIMEOUT`.
 */
export const MAX_AGENT_CALL_MS = 10 * 60_000;

/** Returns the milliseconds that a call of a task may take; the deadline of the run may end the call earlier. */
export const maxCallMs = ({ timeoutMs = 0 }: Task): number =>
  Math.min(Math.max(DEFAULT_CALL_MS, timeoutMs), MAX_CALL_MS);

/** The time of one call. All parts of the call share it: questions to other services, and each request. */
export class CallTime {
  #leftMs: number;
  readonly #signal: AbortSignal;

  /** `signal` is aborted when the run is interrupted. */
  constructor(ms: number, signal: AbortSignal) {
    this.#leftMs = ms;
    this.#signal = signal;
  }

  /** Does a part of the call, which gets the time that is left and ends by itself when it is over. */
  async spend<T>(work: (leftMs: number, signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#leftMs <= 0) throw timeoutError();
    const begun = performance.now();
    try {
      return await work(this.#leftMs, this.#signal);
    } finally {
      this.#leftMs -= performance.now() - begun;
    }
  }

  /** Awaits an answer, which is given up when the time is over or the run is interrupted. */
  await<T>(answer: Promise<T>): Promise<T> {
    return this.spend((leftMs, signal) => raceTime(answer, leftMs, signal));
  }
}

async function raceTime<T>(answer: Promise<T>, leftMs: number, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new OutboundError('ABORTED', 'The run was interrupted.'));
  const timer = setTimeout(() => reject(timeoutError()), leftMs);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

const timeoutError = (): OutboundError =>
  new OutboundError('TIMEOUT', 'The call took longer than it may.');
