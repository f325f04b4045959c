import type { Logger } from 'pino';
import { logger } from './logging.ts';

/** A failure of the database. `code` is the code of the database's answer, or the driver's error name or label. */
export interface Outage {
  code: number | string;
  message: string;
}

/** Milliseconds within which further outages with the same code are not logged. */
const REPEAT_AFTER_MS = 60_000;
/** Characters of a message that are logged; the rest is cut off. */
const MAX_MESSAGE = 300;
/** The code for a write concern that the members of the replica set can never meet. */
const UNSATISFIABLE_WRITE_CONCERN = 100;

/** Logs outages of the database, at most one a minute for each code. */
export class OutageLog {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #now: () => number;
  /** The time of the last logged outage, by code. The codes are few, so none is dropped. */
  readonly #loggedAt = new Map<Outage['code'], number>();

  constructor(target: Pick<Logger, 'warn'>, now = () => performance.now()) {
    this.#logger = target;
    this.#now = now;
  }

  warn({ code, message }: Outage): void {
    const now = this.#now();
    const last = this.#loggedAt.get(code);
    if (last !== undefined && now - last < REPEAT_AFTER_MS) return;
    this.#loggedAt.set(code, now);
    const reason = message.slice(0, MAX_MESSAGE);
    const line =
      code === UNSATISFIABLE_WRITE_CONCERN
        ? 'The database carries out writes and reports them as failed: its write concern must be changed'
        : 'The database failed: requests are answered 503, and runs wait';
    this.#logger.warn({ code, reason }, line);
  }
}

/** The log of outages in the requests and runs of this process. */
export const outageLog = new OutageLog(logger);
