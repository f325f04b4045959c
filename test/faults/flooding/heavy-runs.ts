import type { Person } from '../../helpers/people.ts';
import { startRun } from '../../helpers/runs.ts';
import { answersWith, medianMs } from './latency.ts';

/** A flow and the person that starts its runs. */
export interface OwnedFlow {
  owner: Person;
  flowId: number;
}

export interface HeavyRunsPrepared {
  measured: OwnedFlow;
  heavy: OwnedFlow[];
}

/** Returns the median of the milliseconds of a run from its start to its end. */
export const runMs = (
  { measured: { owner, flowId } }: HeavyRunsPrepared,
  samples: number,
): Promise<number> =>
  medianMs(() => answersWith(200, startRun(owner, flowId, { input: { n: 1 }, wait: 30_000 })), {
    samples,
  });

/** Starts so many runs of each heavy flow, one of each flow after another. */
export async function startHeavyRuns({ heavy }: HeavyRunsPrepared, runs: number): Promise<void> {
  for (let n = 0; n < runs; n++) {
    for (const { owner, flowId } of heavy) await answersWith(202, startRun(owner, flowId));
  }
}
