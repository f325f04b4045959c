import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import type { ShareOwner } from '../../../../support/fair-shares/share.ts';

/** As it stands in a run: one that an older version of the service stored names no owner. */
export type StoredOwner = ShareOwner | null;

/** What the index on `ready` says of a run. */
export type ReadyRun = Pick<
  RunDocument,
  '_id' | 'shareOwner' | 'workspaceId' | 'createdAt' | 'readyAt'
>;

/** An owner with ready runs. */
export interface ReadyOwner {
  owner: StoredOwner;
  /** The lowest id of a workspace with ready runs. */
  firstWorkspaceId: number;
}

/** The order of the index on `ready`. Runs without an owner come first. */
export const CLAIM_ORDER = { shareOwner: 1, workspaceId: 1, createdAt: 1, _id: 1 } as const;

/** Who has ready runs, in the order of their turns. */
export interface ReadyRuns {
  /** Every owner with ready runs, once: those after `last` in order, then the others. */
  owners(last: StoredOwner | undefined): AsyncIterable<ReadyOwner> | Iterable<ReadyOwner>;
  /** Every workspace of an owner with ready runs, once: those after `last` by id, then the others. */
  workspaces(ready: ReadyOwner, last: number): AsyncIterable<number> | Iterable<number>;
  /** The run of the workspace that a claim takes; null where that is not known before the claim. */
  oldestOf(owner: StoredOwner, workspaceId: number): ReadyRun | null;
  /** A claim takes the run. */
  remove(runId: number): void;
  /** The ids of the workspace's runs that are known. */
  idsOf(owner: StoredOwner, workspaceId: number): readonly number[];
}

/** Looks one owner and one workspace up at a time: each look reads one entry of the index. */
export const indexedReadyRuns: ReadyRuns = {
  owners: seekOwners,
  workspaces: seekWorkspaces,
  oldestOf: () => null,
  // The claim itself takes the run from the index.
  remove: () => undefined,
  idsOf: () => [],
};

async function* seekOwners(last: StoredOwner | undefined): AsyncGenerator<ReadyOwner> {
  const seen = new Set<StoredOwner>();
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
    if (isSecondRound && next.owner === last) return; // the first round was of those behind
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
    next = await findWorkspaceAfter(owner, next);
  }
}

const findFirstOwner = (): Promise<ReadyOwner | null> => findOwner({});

const findOwnerAfter = (owner: StoredOwner): Promise<ReadyOwner | null> =>
  findOwner({ shareOwner: { $gt: owner ?? '' } });

async function findOwner(
  of: { shareOwner: { $gt: string } } | Record<string, never>,
): Promise<ReadyOwner | null> {
  const run = await RunModel.findOne({ ready: true, ...of }, { shareOwner: 1, workspaceId: 1 })
    .sort(CLAIM_ORDER)
    .lean();
  return run && { owner: run.shareOwner ?? null, firstWorkspaceId: run.workspaceId };
}

async function findWorkspaceAfter(owner: StoredOwner, workspaceId: number): Promise<number | null> {
  const run = await RunModel.findOne(
    { ready: true, shareOwner: owner, workspaceId: { $gt: workspaceId } },
    { workspaceId: 1 },
  )
    .sort(CLAIM_ORDER)
    .lean();
  return run?.workspaceId ?? null;
}
