/** The state of an interpretation as plain JSON, from which a later interpretation goes on. */
import type { Json } from '../plan.ts';
import type { Count } from './counters.ts';
import type { Decision } from './decision.ts';
import type { UsageCounts } from './limits.ts';
import type { BranchPlace } from './task-scope.ts';

/** The version of the form of checkpoints. A checkpoint of another version is not used. */
export const CHECKPOINT_VERSION = 1;

/** A value by its place in `Checkpoint.values`; -1 for no value. */
export type ValueRef = number;

export interface Checkpoint {
  version: typeof CHECKPOINT_VERSION;
  /** The values as JSON texts; each text stands once. */
  values: readonly string[];
  /** The counters of all tasks. */
  visits: readonly Count[];
  retried: readonly Count[];
  branch: SavedBranch;
  list: SavedList;
  /** The keys of tasks under way: their journal entries before the checkpoint are needed again. */
  openKeys: readonly string[];
}

/** The saved form of `BranchData`. */
export interface SavedBranch {
  now: number;
  context: ValueRef;
  exported: boolean;
  steps: readonly (readonly [string, ValueRef])[];
  usage: UsageCounts;
}

/** The saved form of `ListState`. */
export interface SavedList {
  index: number;
  input: ValueRef;
  task: SavedTask | null;
}

/** The saved form of `Result`. */
export interface SavedResult {
  output: ValueRef;
  next?: string;
  ended?: boolean;
}

/** The saved form of `TaskState`. */
export interface SavedTask {
  name: string;
  iteration: string;
  visit: number;
  attempt: number;
  startedAt: number;
  /** Earlier versions of the service did not save the host's time. */
  startedAtClock?: number | null;
  deadlineAt: number | null;
  evaluations: number;
  composite: SavedComposite | null;
  /** Earlier versions of the service did not save the input. */
  made: (SavedResult & { input?: ValueRef }) | null;
  outcome:
    | { kind: 'result'; result: SavedResult }
    | { kind: 'error'; problem: Json }
    | { kind: 'late' }
    | null;
}

/** Visits of a log: path of the task, iteration, number. */
export type SavedVisits = readonly Count[];

/** The saved form of `CompositeState`. */
export type SavedComposite = { input: ValueRef } & (
  | { kind: 'do'; list: SavedList }
  | {
      kind: 'for';
      items: ValueRef;
      index: number;
      output: ValueRef;
      list: SavedList | null;
    }
  | {
      kind: 'try';
      phase: 'try' | 'catch';
      retries: number;
      startedAt: number;
      attemptDeadlineAt: number | null;
      visits: SavedVisits;
      context: ValueRef;
      exported: boolean;
      steps: readonly (readonly [string, ValueRef])[];
      error: Json | null;
      list: SavedList;
    }
  | {
      kind: 'parallel';
      items: ValueRef;
      next: number;
      now: number;
      usageBefore: UsageCounts;
      visits: SavedVisits;
      branches: readonly SavedBranchState[];
      outputs: readonly ValueRef[];
      /** Earlier versions of the service saved neither this nor `isJoined`. */
      decision?: Decision | null;
      isJoined?: boolean;
    }
);

/** The saved form of `BranchState`. */
export interface SavedBranchState {
  index: number;
  place: BranchPlace;
  run: SavedBranch;
  visits: SavedVisits;
  isTimed: boolean;
  list: SavedList;
  output: { value: ValueRef; ended: boolean } | null;
  problem: Json | null;
}
