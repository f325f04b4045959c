import { LogThrottle } from '../../support/log-throttle.ts';
import { lruCache } from '../../support/lru-cache.ts';
import { entryRefused } from './outbox.diagnostics.ts';

/** Milliseconds until an entry is handed over again that its action has refused once. Each further refusal doubles them. */
const FIRST_DELAY_MS = 10_000;
/** Milliseconds that an entry is delayed at most. */
const MAX_DELAY_MS = 600_000;
/** Refused entries that are remembered. An entry beyond them is handed over by every sweep. */
const MAX_ENTRIES = 10_000;

interface Log {
  error(line: object): void;
}

interface Refusal {
  delayMs: number;
  until: number;
}

interface Call {
  id: string;
  call: string;
}

/** The entries that their actions have refused: each is handed over after an exponential backoff. */
export class RefusedEntries {
  readonly #logger: Log;
  readonly #now: () => number;
  readonly #refusals = lruCache<string, Refusal>(MAX_ENTRIES);
  readonly #throttle: LogThrottle<string>;

  constructor(logger: Log, now = () => performance.now()) {
    this.#logger = logger;
    this.#now = now;
    this.#throttle = new LogThrottle(now);
  }

  isDelayed = (id: string): boolean => (this.#refusals.peek(id)?.until ?? 0) > this.#now();

  /** Delays an entry, and logs the error: the first of each action, then at most one a minute. */
  add({ id, call: action }: Call, error: unknown): void {
    entryRefused.publish({ action });
    const now = this.#now();
    const { delayMs = FIRST_DELAY_MS / 2 } = this.#refusals.get(id) ?? {};
    const next = Math.min(delayMs * 2, MAX_DELAY_MS);
    this.#refusals.set(id, { delayMs: next, until: now + next });
    if (!this.#throttle.allows(action)) return;
    this.#logger.error({ err: error, action, entry: id });
  }

  /** Forgets the entries, which were handed over. */
  drop(ids: Iterable<string>): void {
    for (const id of ids) this.#refusals.delete(id);
  }
}
