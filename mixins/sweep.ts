import type { Service, ServiceSchema } from 'moleculer';
import { isDatabaseAway } from '../support/database-outage.ts';

/**
 * Work that a service does `everyMs` after its last end, in every process that has the service: it must
 * be harmless when several do it at once. A database that is away is waited for in silence.
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
      if (!isDatabaseAway(error)) broker.logger.error({ err: error });
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
