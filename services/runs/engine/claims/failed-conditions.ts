import { RunModel } from '../../../../models/run.model.ts';
import { claimFilterOf } from './claim-commands.ts';
import { CLAIM_ORDER, isWorkspaceId, kindOf, type ReadyRun } from './ready-runs.ts';
import { LISTED_FIELDS } from './ready-snapshot.ts';

type Filter = ReturnType<typeof claimFilterOf>;
type Field = Exclude<keyof Filter, 'ready'>;
const FIELDS: readonly Field[] = ['shareOwner', 'workspaceId', 'readyAt'];

/** A condition of the claim of a run that the run does not match. */
export interface FailedCondition {
  field: Field;
  /** The value in the document; undefined for a field that the run lacks. */
  value: unknown;
  condition: Filter[Field] | typeof A_NUMBER;
}

/** The condition that a damaged workspace id fails. A claim by such an id throws. */
const A_NUMBER = { $type: 'number' } as const;

/**
 * Finds the conditions that the database refuses of ready runs which match no claim, by the ids of these runs. A run that
 * a worker claims meanwhile fails conditions as well: only what is ready afterwards matches no claim.
 */
export async function findFailedConditions(
  ids: readonly number[],
): Promise<Map<number, FailedCondition[]>> {
  const { runs = [], damaged = [] } = Object.groupBy(await listRuns(ids), ({ workspaceId }) =>
    isWorkspaceId(workspaceId) ? 'runs' : 'damaged',
  );
  const matching = await findMatching(runs, (filter) => filter);
  const failing = runs.filter(({ _id }) => !matching.has(_id));
  const stored = await readStored(failing);
  const byField = await Promise.all(
    FIELDS.map(async (field) => {
      const kept = await findMatching(failing, (filter) => ({ [field]: filter[field] }));
      return failing
        .filter(({ _id }) => !kept.has(_id))
        .map((run) => {
          const value = stored.get(run._id)?.[field];
          return { run, field, value, condition: filterOf(run)[field] };
        });
    }),
  );
  const failed = new Map<number, FailedCondition[]>(failing.map(({ _id }) => [_id, []]));
  for (const { run, ...condition } of byField.flat()) failed.get(run._id)?.push(condition);
  for (const { _id, workspaceId: value } of damaged)
    failed.set(_id, [{ field: 'workspaceId', value, condition: A_NUMBER }]);
  return failed;
}

/** Reads ready runs as claims list them, from the same index: an answer from an index differs from one of documents. */
const listRuns = (ids: readonly number[]): Promise<ReadyRun[]> =>
  RunModel.find({ ready: true, _id: { $in: ids } }, LISTED_FIELDS)
    .hint({ ready: 1, ...CLAIM_ORDER })
    .read('primary')
    .lean<ReadyRun[]>();

/** Reads the fields of claims as the documents have them. A query of the model answers null as missing; a pipeline tells. */
async function readStored(
  runs: readonly ReadyRun[],
): Promise<Map<number, Partial<Record<Field, unknown>>>> {
  const stored = await RunModel.aggregate<{ _id: number } & Partial<Record<Field, unknown>>>([
    { $match: { _id: { $in: runs.map(({ _id }) => _id) } } },
    { $project: { shareOwner: 1, workspaceId: 1, readyAt: 1 } },
  ]).read('primary');
  return new Map(stored.map((run) => [run._id, run]));
}

/** The filter of the claim of a run, with its values as the claim sends them. */
const filterOf = (run: ReadyRun): Filter =>
  RunModel.find().cast(RunModel, claimFilterOf(run, kindOf(run))) as Filter;

/** Finds the runs that match a part of the filter of their claim, by one command. */
async function findMatching(
  runs: readonly ReadyRun[],
  partOf: (filter: Filter) => Partial<Filter>,
): Promise<Set<number>> {
  if (!runs.length) return new Set();
  const found = await RunModel.find(
    { $or: runs.map((run) => ({ ...partOf(filterOf(run)), _id: run._id })) },
    { _id: 1 },
  )
    .read('primary')
    .lean();
  return new Set(found.map(({ _id }) => _id));
}
