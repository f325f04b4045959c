import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import type { ShareOwner } from '../../../../support/fair-shares/share.ts';

/** The fields of a ready run that order its claim. */
export type ReadyRun = Pick<
  RunDocument,
  '_id' | 'shareOwner' | 'workspaceId' | 'createdAt' | 'readyAt'
>;

/** An owner with ready runs. */
export interface ReadyOwner {
  owner: ShareOwner;
  /** The lowest id of a workspace with ready runs. */
  firstWorkspaceId: number;
}

/**
 * The order of the index on `ready`. In a workspace new runs come before resumed
 * ones, which a claim chooses between by their kind.
 */
export const CLAIM_ORDER = {
  shareOwner: 1,
  workspaceId: 1,
  readyAt: 1,
  createdAt: 1,
  _id: 1,
} as const;

/**
 * New runs are ready since their creation. Resumed runs became ready later: they waited for a time, a notification or a
 * permit, were released, or their worker died.
 */
export type RunKind = 'new' | 'resumed';
export const kindOf = ({ readyAt }: Pick<ReadyRun, 'readyAt'>): RunKind =>
  readyAt === undefined ? 'new' : 'resumed';

/** Whether a stored value is the id of a workspace. A query by a value of another type throws. */
export const isWorkspaceId = (value: unknown): value is number => Number.isFinite(value);

/** The owners and workspaces that have ready runs, in the order of their turns. */
export interface ReadyRuns {
  /** Lists each owner with ready runs once: owners after `last` in order, then the others. */
  owners(last: ShareOwner | undefined): AsyncIterable<ReadyOwner> | Iterable<ReadyOwner>;
  /** Lists each workspace of the owner with ready runs once: ids above `last`, then the others. */
  workspaces(ready: ReadyOwner, last: number): AsyncIterable<number> | Iterable<number>;
  /**
   * Returns the run of the workspace that a claim takes: of the wanted kind where there is one. Null where only the
   * claim itself finds the run.
   */
  oldestOf(owner: ShareOwner, workspaceId: number, wanted: RunKind): ReadyRun | null;
  /** Removes a run that a claim takes. */
  remove(runId: number): void;
  /** Returns the listed ready runs of a workspace that are of a kind, of any kind unless given. */
  runsOf(owner: ShareOwner, workspaceId: number, kind?: RunKind): readonly ReadyRun[];
}

/** Seeks the owners and workspaces one by one. Each step reads one entry of the index on `ready`. */
export const indexedReadyRuns: ReadyRuns = {
  owners: seekOwners,
  workspaces: seekWorkspaces,
  oldestOf: () => null,
  // The claim itself removes the run from the index.
  remove: () => undefined,
  runsOf: () => [],
};

async function* seekOwners(last: ShareOwner | undefined): AsyncGenerator<ReadyOwner> {
  const seen = new Set<ShareOwner>();
  let next = last === undefined ? await findFirstOwner() : await findOwnerAfter(last);
  let isSecondRound = last === undefined;
  for (;;) {
    if (!next && !isSecondRound) {
      isSecondRound = true;
      next = await findFirstOwner();
    }
    if (!next || seen.has(next.owner)) return;
    seen.add(next.owner);
    yield next;
    if (isSecondRound && next.owner === last) return; // the first round was of the owners after `last`
    next = await findOwnerAfter(next.owner);
  }
}

async function* seekWorkspaces(
  { owner, firstWorkspaceId }: ReadyOwner,
  last: number,
): AsyncGenerator<number> {
  const seen = new Set<number>();
  let next = last < firstWorkspaceId ? firstWorkspaceId : await findWorkspaceAfter(owner, last);
  let isSecondRound = last < firstWorkspaceId;
  for (;;) {
    if (next === null && !isSecondRound) {
      isSecondRound = true;
      next = firstWorkspaceId;
    }
    if (next === null || seen.has(next)) return;
    seen.add(next);
    yield next;
    // A damaged id, of another type, comes before or after all ids.
    next = await findWorkspaceAfter(owner, isWorkspaceId(next) ? next : 0);
  }
}

const findFirstOwner = (): Promise<ReadyOwner | null> => findOwner({});

/** Finds the owner after another. A damaged owner, which is no text, comes before or after all owners. */
const findOwnerAfter = (owner: ShareOwner): Promise<ReadyOwner | null> =>
  findOwner({ shareOwner: { $gt: typeof owner === 'string' ? owner : '' } });

async function findOwner(
  of: { shareOwner: { $gt: string } } | Record<string, never>,
): Promise<ReadyOwner | null> {
  const run = await RunModel.findOne({ ready: true, ...of }, { shareOwner: 1, workspaceId: 1 })
    .sort(CLAIM_ORDER)
    .lean();
  return run && { owner: run.shareOwner, firstWorkspaceId: run.workspaceId };
}

async function findWorkspaceAfter(owner: ShareOwner, workspaceId: number): Promise<number | null> {
  const run = await RunModel.findOne(
    { ready: true, shareOwner: owner, workspaceId: { $gt: workspaceId } },
    { workspaceId: 1 },
  )
    .sort(CLAIM_ORDER)
    .lean();
  return run?.workspaceId ?? null;
}
