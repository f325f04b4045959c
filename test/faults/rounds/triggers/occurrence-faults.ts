import type { Fault } from '../../checks.ts';
import type { RunSpans } from './run-spans.ts';
import type { StartedByTriggers } from './started-by-triggers.ts';

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
  spans: RunSpans,
): Fault[] {
  const prefix = `schedule/${id}/`;
  const runs = started.of(prefix);
  const keys = runs.map(({ startKey }) => startKey.slice(prefix.length));
  const expected = due.map((at) => at.toISOString());
  const ids = runs.map(({ _id }) => _id);
  const skips = overlap === 'SKIP';
  const faults: [isFault: boolean, what: string][] = [
    [new Set(keys).size < keys.length, 'started an occurrence twice'],
    [keys.some((key) => !expected.includes(key)), 'started what was not due'],
    [keys[0] !== expected[0], 'lost its first occurrence'],
    [!skips && keys.length < expected.length, 'lost an occurrence'],
    [!spans.areWhole(ids), 'started a run that did not come to its end'],
    [skips && spans.overlap(ids), 'started a run while another was live'],
  ];
  return faults
    .filter(([isFault]) => isFault)
    .map(([, what]) => `schedule ${id} (${misfire}, ${overlap}) ${what}: ${keys} of ${expected}`);
}
