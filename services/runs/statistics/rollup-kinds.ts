import { isCountedRun, ROLLUP_PENDING, type RunDocument } from '../../../models/run.model.ts';
import { allBytesOf, endBytesOf } from '../quotas/run-bytes.ts';
import {
  type Amounts,
  amountsOf,
  countOf,
  createdRollup,
  endedRollup,
  inputsRollup,
  type RollupIdentity,
  removedRollup,
  resultsRollup,
} from './rollups.ts';

/** The flag of a run whose creation, end or removal is missing in a rollup. */
export type RollupPending = (typeof ROLLUP_PENDING)[keyof typeof ROLLUP_PENDING];

/** The rollup to which a run with a flag is added, and the amounts that runs add to that rollup. */
export interface RollupKind {
  /** Whether the run is in a rollup of this kind: every run is, unless the kind says otherwise. */
  includes?: (run: RunDocument) => boolean;
  identityOf: (run: RunDocument) => RollupIdentity;
  amountsOf: (runs: readonly RunDocument[]) => Amounts;
}

const created: RollupKind = {
  includes: isCountedRun,
  identityOf: ({ workspaceId }) => createdRollup(workspaceId),
  amountsOf: countOf,
};
const inputs: RollupKind = {
  identityOf: ({ workspaceId }) => inputsRollup(workspaceId),
  amountsOf: (runs) => ({ ...countOf(runs), bytes: sum(runs, (run) => run.baseBytes ?? 0) }),
};
const ended: RollupKind = { includes: isCountedRun, identityOf: endedRollup, amountsOf };
const results: RollupKind = {
  identityOf: ({ workspaceId }) => resultsRollup(workspaceId),
  amountsOf: (runs) => ({ ...countOf(runs), bytes: sum(runs, endBytesOf) }),
};
const removed: RollupKind = {
  identityOf: ({ workspaceId }) => removedRollup(workspaceId),
  amountsOf: (runs) => ({
    ...countOf(runs.filter(isCountedRun)),
    bytes: sum(runs, allBytesOf),
  }),
};

/** The rollups that each flag stands for. The flag is cleared when the run is in all of them. */
export const ROLLUP_KINDS: Readonly<Record<RollupPending, readonly RollupKind[]>> = {
  [ROLLUP_PENDING.creation]: [created, inputs],
  [ROLLUP_PENDING.end]: [ended, results],
  [ROLLUP_PENDING.removal]: [removed],
};

const sum = (runs: readonly RunDocument[], of: (run: RunDocument) => number): number =>
  runs.reduce((total, run) => total + of(run), 0);
