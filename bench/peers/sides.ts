import { setTimeout as sleep } from 'node:timers/promises';
import { median, medianRatio } from '../load.ts';
import { usageOfTree } from '../process.ts';
import { printLine } from '../report.ts';
import { type LoadResult, loadRuns } from '../run-load.ts';

const ROUNDS = 3;
const SECONDS = 3;
/** Milliseconds after a load within which its background work, such as statistics, ends. */
const REST_MS = 700;

/** One of the compared systems. */
export interface Side {
  name: string;
  /** The root process ids of the system. */
  pids: number[];
  startRun: () => Promise<unknown>;
}

export interface Measurement extends LoadResult {
  /** CPU time of all processes of the side, in milliseconds for each run. */
  cpuMs: number;
}

/** Returns the median of the ratios of each round. */
export const ratioOf = (
  ours: readonly Measurement[],
  theirs: readonly Measurement[],
  field: 'perSecond' | 'cpuMs',
): number => {
  const values = (side: readonly Measurement[]) => side.map((measured) => measured[field]);
  return medianRatio(values(ours), values(theirs));
};

/** Measures every side once in each round, one at a time. The first round, for warming up, does not count. */
export async function measureInTurn(
  sides: readonly Side[],
  clients: number,
): Promise<Measurement[][]> {
  const found: Measurement[][] = sides.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [n, side] of sides.entries()) {
      const measurement = await measure(side, clients);
      if (round > 0) found[n]?.push(measurement);
    }
  }
  const columns = sides.map(({ name }, n) => `${name} ${describe(found[n] ?? [])}`);
  printLine(`${clients} clients: ${columns.join('; ')}`);
  return found;
}

async function measure({ pids, startRun }: Side, clients: number): Promise<Measurement> {
  const before = cpuSecondsOf(pids);
  const load = await loadRuns(startRun, clients, SECONDS);
  await sleep(REST_MS);
  return { ...load, cpuMs: ((cpuSecondsOf(pids) - before) * 1000) / load.completed };
}

const cpuSecondsOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + usageOfTree(pid).cpuSeconds, 0);

function describe(measurements: readonly Measurement[]): string {
  const of = (field: 'perSecond' | 'latencyMs' | 'cpuMs') =>
    median(measurements.map((measurement) => measurement[field]));
  return (
    `${of('perSecond').toFixed(0)} runs/s (median ${of('latencyMs').toFixed(1)} ms, ` +
    `${of('cpuMs').toFixed(1)} ms of CPU a run)`
  );
}
