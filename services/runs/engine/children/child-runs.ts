/** Child runs: the runs that tasks `run` of other runs start. */
import { batchById } from '../../../../mixins/database/batch-loader.ts';
import { type ParentTask, type RunDocument, RunModel } from '../../../../models/run.model.ts';

/** The execution of a task `run`. */
export type TaskKey = Pick<ParentTask, 'runId' | 'key'>;

const FIELDS = {
  parent: 1,
  flowName: 1,
  status: 1,
  live: 1,
  input: 1,
  output: 1,
  error: 1,
  attempt: 1,
  originId: 1,
  createdAt: 1,
  expired: 1,
  completedAt: 1,
} as const;
export type ChildRun = Pick<RunDocument, '_id' | keyof typeof FIELDS>;

const findByTask = batchById(
  async (tasks: string[]) => {
    const byParent = Map.groupBy(tasks.map(parseTask), ({ runId }) => runId);
    const found = await Promise.all(
      [...byParent].map(([runId, ofParent]) =>
        RunModel.find(
          { 'parent.runId': runId, 'parent.key': { $in: ofParent.map(({ key }) => key) } },
          FIELDS,
        )
          .read('primary')
          .lean<(ChildRun & { parent: ParentTask })[]>(),
      ),
    );
    return found.flat();
  },
  ({ parent }) => formatTask(parent),
);

const formatTask = ({ runId, key }: TaskKey): string => `${runId} ${key}`;

function parseTask(text: string): TaskKey {
  const end = text.indexOf(' ');
  return { runId: Number(text.slice(0, end)), key: text.slice(end + 1) };
}

/**
 * Finds the child run of a task, also while retention removes the child run; null before its start. Finds of one turn
 * of the event loop share their reads.
 */
export const findChild = (task: TaskKey): Promise<ChildRun | null> => findByTask(formatTask(task));

/** Runs of a chain of retries that are read. A child run of a task that only earlier runs have come to is started anew. */
const MAX_EARLIER = 100;

/** Lists the runs before a run in its chain of retries that have child runs, from the latest on. */
export async function listEarlierParents(run: Pick<RunDocument, 'retryOf'>): Promise<number[]> {
  const parents: number[] = [];
  let { retryOf } = run;
  for (let read = 0; retryOf !== undefined && read < MAX_EARLIER; read++) {
    const retried: Pick<RunDocument, 'retryOf' | 'hasChildren'> | null = await RunModel.findById(
      retryOf,
      { retryOf: 1, hasChildren: 1 },
    ).lean();
    if (retried?.hasChildren) parents.push(retryOf);
    retryOf = retried?.retryOf;
  }
  return parents;
}

/**
 * Finds the child run that the latest of these runs with one had started at the same task; null without one. The child run
 * of a retry retries that child run. Null as well where retention removes it: the retry starts a child run that retries
 * none. It takes three commands at most, however many retries there are.
 */
export async function findEarlierChild(
  [latest, ...earlier]: readonly number[],
  key: string,
): Promise<ChildRun | null> {
  if (latest === undefined) return null;
  const child = await findChild({ runId: latest, key });
  if (child || !earlier.length) return unlessExpired(child);
  const ofTask = { 'parent.runId': { $in: earlier }, 'parent.key': key };
  const found = await RunModel.find(ofTask, { parent: 1 }).lean();
  const runIds = new Set(found.map(({ parent }) => parent?.runId));
  const runId = earlier.find((id) => runIds.has(id));
  return runId === undefined ? null : unlessExpired(await findChild({ runId, key }));
}

const unlessExpired = (child: ChildRun | null): ChildRun | null => (child?.expired ? null : child);

/** Whether a run that has not begun may begin: both the run and the run that started it are live. */
export async function mayBegin({ _id, parent }: RunDocument): Promise<boolean> {
  if (!parent) return true;
  const ids = [_id, parent.runId];
  const live = await RunModel.find({ _id: { $in: ids }, live: true }, { _id: 1 })
    .read('primary')
    .lean();
  return live.length === ids.length;
}
