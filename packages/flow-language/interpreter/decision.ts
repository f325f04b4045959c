/** The journalled decision how the branches of a task have ended, when not all of them succeeded. */
import type { Json } from '../plan.ts';
import type { Count } from './counters.ts';
import type { Performed } from './host.ts';
import type { UsageCounts } from './limits.ts';
import type { Problem } from './problem.ts';

/** The end of the branches. `at` is the time of the deciding branch. */
export type Decision =
  /** A branch has won the race, or has ended the whole flow. */
  | { kind: 'won'; index: number; at: number }
  | { kind: 'failed'; problem: Problem; at: number }
  /** A deadline around the task has passed. */
  | { kind: 'late'; at: number };

/** The use of limits and the counts of the other branches, which a replay does not follow again. */
export interface OtherBranchCounts {
  usage: UsageCounts;
  visits: Count[];
  retried: Count[];
}

export interface DecisionEntry {
  decision: Decision;
  losses: OtherBranchCounts;
}

/** Makes the journal entry of a decision. */
export const performedOf = (entry: DecisionEntry): Performed => ({
  kind: 'succeeded',
  value: entry as unknown as Json,
  completedAt: entry.decision.at,
});

/** Reads the decision of a journal entry. Throws for an entry of another kind. */
export function decisionOf(performed: Performed): DecisionEntry {
  if (performed.kind !== 'succeeded') throw new Error('the journal has a decision of another kind');
  return performed.value as unknown as DecisionEntry;
}
