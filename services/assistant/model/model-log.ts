import type { Logger } from 'moleculer';
import { LogThrottle } from '../../../support/log-throttle.ts';
import type { FailureKind, ModelFailure } from './model-failure.ts';

/** Logs failures of the model, at most one a minute for each kind. */
export class ModelLog {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #throttle = new LogThrottle<FailureKind>();

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  warn({ kind, status }: ModelFailure): void {
    if (!this.#throttle.allows(kind)) return;
    this.#logger.warn({ kind, status }, 'A request to the model of the assistant has failed');
  }
}
