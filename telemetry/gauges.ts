import { Gauge, type Registry } from 'prom-client';
import { sandboxLoads } from '../mixins/sandbox.ts';
import { hasEnded, RUN_STATUSES } from '../services/runs/contract/resources.ts';
import { backlog } from '../services/runs/live-runs.ts';

/** How full the pools of child processes are, looked up when somebody asks. */
export function gaugeSandbox(registry: Registry): void {
  const registers = [registry];
  const labelNames = ['pool'] as const;
  const children = new Gauge({
    name: 'sandbox_children',
    help: 'Child processes that evaluate what users wrote, by pool',
    labelNames,
    registers,
    collect: () => look(),
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
  function look(): void {
    for (const load of sandboxLoads()) {
      const { pool } = load;
      children.set({ pool }, load.children);
      busy.set({ pool }, load.busy);
      waiting.set({ pool }, load.waiting);
    }
  }
}

/**
 * Runs that have not ended. They are the system's, not this process's: each process with the service
 * `runs` tells the same. While the database is away they are not told at all.
 */
export function gaugeBacklog(registry: Registry): void {
  const registers = [registry];
  const age = new Gauge({
    name: 'flow_run_queue_age_seconds',
    help: 'Since when the oldest queued run waits for a worker; 0 without one',
    registers,
  });
  const live = new Gauge({
    name: 'flow_runs_live',
    help: 'Runs of the system that have not ended, by status',
    labelNames: ['status'],
    registers,
    async collect() {
      live.reset();
      age.remove();
      const found = await backlog().catch(() => null); // away: the reader sees that it is missing
      if (!found) return;
      for (const status of RUN_STATUSES.filter((one) => !hasEnded(one))) {
        live.set({ status }, found.live[status] ?? 0);
      }
      const since = found.oldestQueuedAt === null ? Date.now() : Date.parse(found.oldestQueuedAt);
      age.set(Math.max(Date.now() - since, 0) / 1_000);
    },
  });
}
