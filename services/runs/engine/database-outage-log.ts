import type { Logger } from 'pino';
import { outageOf } from '../../../support/database-outage.ts';
import { outageLog } from '../../../support/outage-log.ts';

/** Logs once that runs wait for the database and once that they go on, for any number of failures. */
export class DatabaseOutageLog {
  readonly #logger: Logger;
  #isAway = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Logs a failure of the worker: an outage of the database, or a defect of the service. */
  readonly logFailure = (error: unknown): void => {
    const outage = outageOf(error);
    if (!outage) {
      this.#logger.error({ err: error }, 'The worker of runs met a defect');
      return;
    }
    outageLog.warn(outage);
    if (!this.#isAway) this.#logger.warn('Runs wait for the database');
    this.#isAway = true;
  };

  /** Logs the end of an outage, after the database has answered. */
  logRecovery(): void {
    if (this.#isAway) this.#logger.info('Runs go on: the database is back');
    this.#isAway = false;
  }
}
