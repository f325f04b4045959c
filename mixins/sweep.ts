import type { Service, ServiceSchema } from 'moleculer';
import { isDatabaseAway } from '../support/database-outage.ts';
import { levelOfFailure } from '../support/stopping-brokers.ts';

/**
 * A mixin that does the work again `everyMs` milliseconds after its last end. Every process with the service does the
 * work, which must be harmless when several do it at once. An outage of the database is not logged.
 */
export function Sweep(
  everyMs: number,
  work: (broker: Service['broker']) => Promise<void>,
): Partial<ServiceSchema> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const round = async (broker: Service['broker']): Promise<void> => {
    try {
      await work(broker);
    } catch (error) {
      const level = levelOfFailure(broker, error);
      if (!isDatabaseAway(error)) broker.logger[level]({ err: error }, 'A sweep is repeated later');
    }
    if (!stopped) timer = setTimeout(round, everyMs, broker).unref();
  };
  return {
    async started() {
      timer = setTimeout(round, everyMs, this.broker).unref();
    },
    async stopped() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
