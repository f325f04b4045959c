import type { Logger } from 'pino';
import { LogThrottle } from '../../../../support/log-throttle.ts';

/** Logs starts that were refused or failed, at most one a minute for each code. */
export class RefusalLog {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #throttle = new LogThrottle<string>();

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  warn(code: string, fields: object, line: string): void {
    if (this.#throttle.allows(code)) this.#logger.warn({ code, ...fields }, line);
  }
}
