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

/**
 * Finds the child run that an earlier run of the chain of retries had started at the same task; null without one. The
 * child run of a retry retries that child run. Null as well where retention removes it: the retry starts a child run
 * that retries none.
 */
export async function findEarlierChild(
  parent: Pick<RunDocument, 'retryOf'>,
  key: string,
): Promise<ChildRun | null> {
  for (let { retryOf } = parent; retryOf !== undefined; ) {
    const child = await findChild({ runId: retryOf, key });
    if (child) return child.expired ? null : child;
    const retried = await RunModel.findById(retryOf, { retryOf: 1 }).lean();
    retryOf = retried?.retryOf;
  }
  return null;
}

/** Whether a run that has not begun may begin: both the run and the run that started it are live. */
export async function mayBegin({ _id, parent }: RunDocument): Promise<boolean> {
  if (!parent) return true;
  const ids = [_id, parent.runId];
  const live = await RunModel.find({ _id: { $in: ids }, live: true }, { _id: 1 })
    .read('primary')
    .lean();
  return live.length === ids.length;
}
