/** The most milliseconds of one timer; a longer sleep ends early, and the caller sleeps again. */
const MAX_TIMER_MS = 60 * 60 * 1_000;

/** Sleeps that can be ended together. */
export class Sleepers {
  readonly #wakes = new Set<() => void>();

  /** Resolves after the time as `due`, or as `woken` when `wakeAll` is called or the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<'due' | 'woken'> {
    return new Promise((resolve) => {
      const end = (why: 'due' | 'woken') => {
        clearTimeout(timer);
        this.#wakes.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve(why);
      };
      const wake = () => end('woken');
      const timer = setTimeout(() => end('due'), Math.min(Math.max(ms, 0), MAX_TIMER_MS));
      this.#wakes.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  wakeAll(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}
