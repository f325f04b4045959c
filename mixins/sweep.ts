import type { Service, ServiceSchema } from 'moleculer';
import { isDatabaseAway } from '../support/database-outage.ts';
import { repeatWork } from '../support/periodic-work.ts';
import { levelOfFailure } from '../support/stopping-brokers.ts';

/**
 * A mixin that does the work again `everyMs` milliseconds after its last end, and `idleFactor` times as many while the
 * process is idle. Every process with the service does the work, which must be harmless when several do it at once. An
 * outage of the database is not logged.
 */
export function Sweep(
  everyMs: number,
  work: (broker: Service['broker']) => Promise<void>,
  idleFactor = 1,
): Partial<ServiceSchema> {
  let stop: (() => void) | undefined;
  return {
    async started() {
      const { broker } = this;
      stop = repeatWork(
        everyMs,
        () => work(broker),
        (error) => {
          const level = levelOfFailure(broker, error);
          if (!isDatabaseAway(error))
            broker.logger[level]({ err: error }, 'A sweep is repeated later');
        },
        idleFactor,
      );
    },
    async stopped() {
      stop?.();
    },
  };
}
