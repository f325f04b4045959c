import { Gauge, type Registry } from 'prom-client';
import { hasEnded, RUN_STATUSES } from '../models/run-status.ts';
import type { Actions } from '../services/contracts.ts';
import { sandboxLoads } from '../support/sandbox.ts';
import { shareReading } from './shared-reading.ts';

/** Reports the load of the pools of child processes, read at each scrape. */
export function gaugeSandbox(registry: Registry): void {
  const registers = [registry];
  const labelNames = ['pool'] as const;
  const children = new Gauge({
    name: 'sandbox_children',
    help: 'Child processes that evaluate what users wrote, by pool',
    labelNames,
    registers,
    collect: setAll,
  });
  const busy = new Gauge({
    name: 'sandbox_children_busy',
    help: 'Those of them that are at work',
    labelNames,
    registers,
  });
  const waiting = new Gauge({
    name: 'sandbox_jobs_waiting',
    help: 'Evaluations that wait for a child',
    labelNames,
    registers,
  });
  function setAll(): void {
    for (const load of sandboxLoads()) {
      const { pool } = load;
      children.set({ pool }, load.children);
      busy.set({ pool }, load.busy);
      waiting.set({ pool }, load.waiting);
    }
  }
}

/** Reports whether the disk of the database is full. Each process reports the same. */
export function gaugeStorage(registry: Registry, isFull: () => Promise<boolean>): void {
  new Gauge({
    name: 'mongodb_storage_full',
    help: '1 while the database refuses writes because its disk is full, else 0',
    registers: [registry],
    async collect() {
      this.set((await isFull()) ? 1 : 0);
    },
  });
}

/** Reports whether this process is connected to NATS. */
export function gaugeNats(registry: Registry, isConnected: () => boolean): void {
  const connected: Gauge = new Gauge({
    name: 'nats_connected',
    help: '1 while this process is connected to NATS, 0 while it is not',
    registers: [registry],
    collect: () => connected.set(isConnected() ? 1 : 0),
  });
}

type Backlog = Actions['runs.backlog']['result'];

/**
 * Reports the runs of the system that have not ended. Each process with the service `runs` reports the same
 * numbers. The metrics are missing while `getBacklog` fails or takes too long.
 */
export function gaugeBacklog(registry: Registry, getBacklog: () => Promise<Backlog>): void {
  const registers = [registry];
  const readBacklog = shareReading(getBacklog);
  const live = new Gauge({
    name: 'flow_runs_live',
    help: 'Runs of the system that have not ended, by status',
    labelNames: ['status'],
    registers,
    async collect() {
      const found = await readBacklog();
      live.reset();
      if (!found) return;
      for (const status of RUN_STATUSES.filter((one) => !hasEnded(one))) {
        live.set({ status }, found.live[status] ?? 0);
      }
    },
  });
  const age: Gauge = new Gauge({
    name: 'flow_run_queue_age_seconds',
    help: 'For how long a run has waited for a worker, of all that do the longest; 0 without one',
    registers,
    async collect() {
      const found = await readBacklog();
      if (!found) return age.remove();
      const since = found.waitingSince === null ? Date.now() : Date.parse(found.waitingSince);
      age.set(Math.max(Date.now() - since, 0) / 1_000);
    },
  });
}
