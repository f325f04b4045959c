import type { ActorFinder } from '../../mixins/lifecycle/erasure-steps.ts';
import type { Engine } from './engine/engine.ts';

/** Milliseconds before a deletion. No request that was made before them is under way at the deletion. */
const SURELY_ENDED_MS = 60 * 60 * 1_000;

/**
 * Finds the runs that a person has started, by the entries of the audit log: each start is written with its entry. An
 * index of `startedBy` would cost each start a write. The last pass looks for starts that were under way at the deletion.
 */
export const findStarts =
  (engine: () => Pick<Engine, 'ask'>): ActorFinder =>
  ({ targetId, requestedAt, isLastPass }, after) =>
    engine().ask('workspaces.listActs', {
      userId: targetId,
      resourceType: 'run',
      since: new Date(isLastPass ? requestedAt.getTime() - SURELY_ENDED_MS : 0).toISOString(),
      ...(after === null ? {} : { after: String(after) }),
    });
