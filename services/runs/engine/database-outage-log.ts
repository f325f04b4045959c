import type { Logger } from 'pino';
import { outageOf } from '../../../support/database-outage.ts';
import { outageLog } from '../../../support/outage-log.ts';

/** Tells of a database that is away once, and once when it is back, however often that is met. */
export class DatabaseOutageLog {
  readonly #logger: Logger;
  #isAway = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Something failed, by an outage or by a defect of ours. */
  readonly logFailure = (error: unknown): void => {
    const outage = outageOf(error);
    if (!outage) {
      this.#logger.error({ err: error }, 'The worker of runs met a defect');
      return;
    }
    outageLog.warn(outage);
    if (!this.#isAway) this.#logger.warn('Runs wait: the database is away');
    this.#isAway = true;
  };

  /** The database has answered. */
  logRecovery(): void {
    if (this.#isAway) this.#logger.info('Runs go on: the database is back');
    this.#isAway = false;
  }
}
