import type { Fault } from '../../checks.ts';
import type { StartedByTriggers, TriggeredRun } from './started-by-triggers.ts';

/** A schedule with the occurrences that were due, in their order. */
export interface DueSchedule {
  id: number;
  misfire: string;
  overlap: string;
  due: readonly Date[];
}

/**
 * Compares the runs of a schedule with its occurrences. With `overlap: SKIP` an occurrence starts no run while another run
 * is live, so only the first is sure to have a run.
 */
export function faultsOfOccurrences(
  { id, misfire, overlap, due }: DueSchedule,
  started: Pick<StartedByTriggers, 'of'>,
): Fault[] {
  const prefix = `schedule/${id}/`;
  const runs = started.of(prefix);
  const keys = runs.map(({ startKey }) => startKey.slice(prefix.length));
  const expected = due.map((at) => at.toISOString());
  const skips = overlap === 'SKIP';
  const faults: [isFault: boolean, what: string][] = [
    [new Set(keys).size < keys.length, 'started an occurrence twice'],
    [keys.some((key) => !expected.includes(key)), 'started what was not due'],
    [keys[0] !== expected[0], 'lost its first occurrence'],
    [!skips && keys.length < expected.length, 'lost an occurrence'],
    [skips && runs.some(overlapsNext), 'started a run while another was live'],
  ];
  return faults
    .filter(([isFault]) => isFault)
    .map(([, what]) => `schedule ${id} (${misfire}, ${overlap}) ${what}: ${keys} of ${expected}`);
}

/** Milliseconds by which the times of two processes may differ: each estimates the clock of the database, worse when it is busy. */
const CLOCK_ERROR_MS = 500;

function overlapsNext({ completedAt }: TriggeredRun, at: number, runs: readonly TriggeredRun[]) {
  const next = runs[at + 1];
  return next !== undefined && next.createdAt.getTime() + CLOCK_ERROR_MS < completedAt.getTime();
}
