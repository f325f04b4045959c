import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerState } from '../../services/runs/contract/operations.ts';
import { table } from '../table.ts';
import type { Command } from './command.ts';

/** Milliseconds between the two readings of the heartbeats, which workers raise once a second. */
const BETWEEN_READINGS_MS = 1_500;

/** `workers`: shows the processes that execute runs. */
export const workers: Command = {
  command: 'workers',
  description: 'Show the workers of runs: heartbeats, load, runs held (takes 1.5 s)',
  async print(operator) {
    const before = await operator.ask('runs.listWorkers', {});
    await sleep(BETWEEN_READINGS_MS);
    const after = await operator.ask('runs.listWorkers', {});
    return showWorkers(before.workers, after.workers);
  },
};

/** Formats the workers by two readings. Pure, for tests. */
export function showWorkers(before: readonly WorkerState[], after: readonly WorkerState[]): string {
  if (!after.length) return 'no workers';
  const earlier = new Map(before.map(({ id, beat }) => [id, beat]));
  const rows = after.map((worker) => [
    worker.id.slice(0, 8),
    worker.node,
    heart(earlier.get(worker.id), worker.beat),
    worker.beat,
    `${worker.runs} of ${worker.capacity}`,
    `${Math.round((100 * worker.runs) / worker.capacity)} %`,
  ]);
  return table(['worker', 'process', 'heart', 'beats', 'runs held', 'load'], rows);
}

function heart(before: number | undefined, now: number): string {
  if (before === undefined) return 'new';
  return now > before ? 'beats' : 'STILL';
}
