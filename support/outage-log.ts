import type { Logger } from 'pino';
import { isStorageFull, type Outage } from './database-outage.ts';
import { LogThrottle } from './log-throttle.ts';
import { logger } from './logging.ts';

/** Characters of a message that are logged; the rest is cut off. */
const MAX_MESSAGE = 300;
/** The code for a write concern that the members of the replica set can never meet. */
const UNSATISFIABLE_WRITE_CONCERN = 100;

/** Logs outages of the database, at most one a minute for each code. */
export class OutageLog {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #throttle: LogThrottle<Outage['code']>;
  #isClosed = false;

  constructor(target: Pick<Logger, 'warn'>, now = () => performance.now()) {
    this.#logger = target;
    this.#throttle = new LogThrottle(now);
  }

  /** Ends the log: the process that stops closes its own connections now, which is no outage. */
  close(): void {
    this.#isClosed = true;
  }

  warn({ code, message }: Outage): void {
    if (this.#isClosed || !this.#throttle.allows(code)) return;
    this.#logger.warn({ code, reason: message.slice(0, MAX_MESSAGE) }, lineOf({ code, message }));
  }
}

function lineOf(outage: Outage): string {
  if (outage.code === UNSATISFIABLE_WRITE_CONCERN) {
    return 'The database carries out writes and reports them as failed: its write concern must be changed';
  }
  return isStorageFull(outage)
    ? 'The disk of the database is full: requests that write are answered 503, and runs wait'
    : 'The database failed: requests are answered 503, and runs wait';
}

/** The log of outages in the requests and runs of this process. */
export const outageLog = new OutageLog(logger);
