import type { RunDocument } from '../../../models/run.model.ts';
import { countedBytesOf, endBytesOf } from '../quotas/run-bytes.ts';
import {
  type Amounts,
  amountsOf,
  countOf,
  createdTally,
  endedTally,
  inputsTally,
  removedTally,
  resultsTally,
  type TallyIdentity,
} from './rollups.ts';

/** What a run is still to be counted for: that it was created, that it ended, that it is removed. */
export type Mark = 'uncounted' | 'unposted' | 'expired';

/** A tally that runs with a mark are added to, and what they add to it. */
export interface Rollup {
  tallyOf: (run: RunDocument) => TallyIdentity;
  amountsOf: (runs: readonly RunDocument[]) => Amounts;
}

const created: Rollup = {
  tallyOf: ({ workspaceId }) => createdTally(workspaceId),
  amountsOf: countOf,
};
const inputs: Rollup = {
  tallyOf: ({ workspaceId }) => inputsTally(workspaceId),
  amountsOf: (runs) => ({ ...countOf(runs), bytes: sum(runs, (run) => run.baseBytes ?? 0) }),
};
const ended: Rollup = { tallyOf: endedTally, amountsOf };
const results: Rollup = {
  tallyOf: ({ workspaceId }) => resultsTally(workspaceId),
  amountsOf: (runs) => ({ ...countOf(runs), bytes: sum(runs, endBytesOf) }),
};
const removed: Rollup = {
  tallyOf: ({ workspaceId }) => removedTally(workspaceId),
  amountsOf: (runs) => ({ ...countOf(runs), bytes: sum(runs, countedBytesOf) }),
};

/** Every tally that a mark stands for: the mark goes when the run is in all of them. */
export const ROLLUPS: Readonly<Record<Mark, readonly Rollup[]>> = {
  uncounted: [created, inputs],
  unposted: [ended, results],
  expired: [removed],
};

const sum = (runs: readonly RunDocument[], of: (run: RunDocument) => number): number =>
  runs.reduce((total, run) => total + of(run), 0);

/** Which of a run's bytes are in the tallies when the mark has been taken; set with that, never taken back. */
export const COUNTED = {
  uncounted: { baseCounted: true },
  unposted: { endCounted: true },
} as const;
