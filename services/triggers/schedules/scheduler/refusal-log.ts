import type { Logger } from 'pino';

/** Milliseconds within which further refusals with the same code are not logged. */
const REPEAT_AFTER_MS = 60_000;

/** Logs starts that were refused or failed, at most one a minute for each code. */
export class RefusalLog {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #now: () => number;
  /** The time of the last logged refusal, by code. The codes are few, so none is dropped. */
  readonly #loggedAt = new Map<string, number>();

  constructor(logger: Pick<Logger, 'warn'>, now = () => performance.now()) {
    this.#logger = logger;
    this.#now = now;
  }

  warn(code: string, fields: object, line: string): void {
    const now = this.#now();
    const last = this.#loggedAt.get(code);
    if (last !== undefined && now - last < REPEAT_AFTER_MS) return;
    this.#loggedAt.set(code, now);
    this.#logger.warn({ code, ...fields }, line);
  }
}
