import { Counter, Gauge, type Registry } from 'prom-client';
import { entryRefused, outboxSwept } from '../mixins/changes/outbox.diagnostics.ts';

/** Reports the entries of outboxes that are late, from the diagnostic events of this process. */
export function countOutboxes(registers: Registry[]): void {
  const age = new Gauge({
    name: 'outbox_age_seconds',
    help: 'Age of the oldest outbox entry that the last sweep of this process found undelivered; 0 without one',
    labelNames: ['collection'],
    registers,
  });
  outboxSwept.subscribe(({ collection, oldestMs }) => age.set({ collection }, oldestMs / 1_000));

  const refusals = new Counter({
    name: 'outbox_refusals_total',
    help: 'Outbox entries of this process that an action refused, by action; they are delivered again',
    labelNames: ['action'],
    registers,
  });
  entryRefused.subscribe(({ action }) => refusals.inc({ action }));
}
