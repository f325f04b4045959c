import { Counter, Gauge, type Registry } from 'prom-client';
import { backupFailed, backupMade } from '../mixins/backups/backups.diagnostics.ts';

/** Counts the backups of the embedded database from now on. A process without backups exposes no ages. */
export function gaugeBackups(registry: Registry): void {
  const registers = [registry];
  let newest: number | undefined;
  new Gauge({
    name: 'backup_age_seconds',
    help: 'The age of the newest whole backup of the embedded database; without one, since backups are due',
    registers,
    collect() {
      if (newest !== undefined) this.set(Math.max(0, Date.now() - newest) / 1_000);
    },
  }).remove(); // no value before the first event
  const interval = new Gauge({
    name: 'backup_interval_seconds',
    help: 'The time between two backups of the embedded database',
    registers,
  });
  interval.remove();
  const failures = new Counter({
    name: 'backup_failures_total',
    help: 'Backups of the embedded database that failed',
    registers,
  });
  backupMade.subscribe(({ since, everyMs }) => {
    newest = since.getTime();
    interval.set(everyMs / 1_000);
  });
  backupFailed.subscribe(() => failures.inc());
}
