import type { QueryFilter } from 'mongoose';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import type { StatisticsQuery } from './statistics.ts';

/** Runs from which a count is remembered: the database reads a key of each run that it counts. */
const LARGE_COUNT = 1_000;
/** Milliseconds for which a large count is answered again. */
const TTL_MS = 1_000;
/** Remembered counts. Beyond it the least recently used count is dropped. */
const MAX_COUNTS = 10_000;

/** The numbers of live flow runs. Where at least `LARGE_COUNT` runs were counted, child runs included, the number may be as old as `TTL_MS`. */
export class RunningCounts {
  readonly #large = lruCache<string, number>(MAX_COUNTS, { ttl: TTL_MS, ttlResolution: 0 });

  async count({ workspaceIds, flowId }: Pick<StatisticsQuery, 'workspaceIds' | 'flowId'>) {
    const key = `${flowId ?? ''}/${workspaceIds}`;
    const remembered = this.#large.get(key);
    if (remembered !== undefined) return remembered;
    const { all, children } = await countRunning(workspaceIds, flowId);
    const count = Math.max(all - children, 0); // a run may begin or end between the two counts
    if (all >= LARGE_COUNT) this.#large.set(key, count);
    return count;
  }
}

/** Counts the live flow runs by one index, and the child runs among them by another. */
async function countRunning(
  workspaceIds: readonly number[],
  flowId: number | undefined,
): Promise<{ all: number; children: number }> {
  const running: QueryFilter<RunDocument> = {
    live: true,
    workspaceId: { $in: [...workspaceIds] },
    status: { $in: ['RUNNING', 'WAITING'] },
    // Executions have no flow. With a range an index alone counts the others; with `$exists` it would not.
    flowId: flowId ?? { $gt: 0 },
  };
  const [all, children] = await Promise.all([
    RunModel.countDocuments(running),
    RunModel.countDocuments({ ...running, isChild: true }),
  ]);
  return { all, children };
}
