import type { Service, ServiceSchema } from 'moleculer';
import { IDLE_FACTOR } from '../../support/activity.ts';
import { Sweep } from '../sweep.ts';
import { Carrier } from './carrier.ts';
import type { OutboxSource } from './outbox-source.ts';

/** Milliseconds between two sweeps for entries that were not handed over. */
const SWEEP_EVERY_MS = 5_000;

/**
 * Hands over the outbox entries of the service's own stores: audit entries, calls, events.
 * Sessions, refresh tokens and mailed tokens are no resources: no store writes them and no entry tells of them.
 */
export function Changes(...stores: readonly OutboxSource[]): Partial<ServiceSchema> {
  let carriers: readonly Carrier[] = [];
  const sweep = Sweep(
    SWEEP_EVERY_MS,
    async () => {
      for (const carrier of carriers) await carrier.sweep();
    },
    IDLE_FACTOR,
  );
  return {
    mixins: [sweep],
    created(this: Service) {
      carriers = stores.map((store) => new Carrier(this.broker, this.name, store));
    },
    async started() {
      for (const carrier of carriers) carrier.start();
    },
    async stopped() {
      await Promise.all(carriers.map((carrier) => carrier.stop()));
    },
  };
}
