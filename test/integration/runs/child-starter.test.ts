import type { RunDocument } from '../../../models/run.model.ts';
import { ChildStarter } from '../../../services/runs/engine/children/child-starter.ts';
import { StartQuotas } from '../../../services/runs/quotas/start-quotas.ts';
import { callsTo, onRunsDatabase, queueRun, runOf, storeRun } from './engine.ts';

onRunsDatabase();

const KEY = '/do/0/child//1/1';
const version = {
  flow: { id: 1, name: 'flow', workspaceId: 1 },
  versionId: 1,
  content: '{"do":[]}',
} as never;

const starter = new ChildStarter({
  findFlowId: async () => 1,
  findVersion: async () => version,
  completeVersion: async (given) => given,
  store: async (run) => {
    await storeRun(run);
    return run;
  },
  quotas: new StartQuotas({ queuedRuns: null, runBytes: null }),
  tools: {
    planOf: async () => callsTo(),
    validateInput: () => Promise.reject(new Error('no input is validated here')),
    findConfiguration: () => Promise.reject(new Error('there are no stores here')),
  },
});

/** The id of the last run that a test stored. The starter takes the ids from 1 on. */
let lastId = 1_000_000;

/** Stores an ended run, with the fields. */
const storeEnded = (fields: Partial<RunDocument> = {}) =>
  queueRun({ _id: ++lastId, status: 'FAILED', ...fields });

const childOf = ({ _id }: RunDocument, fields: Partial<RunDocument> = {}) =>
  storeEnded({ isChild: true, parent: { runId: _id, key: KEY, depth: 1 }, ...fields });

/** Starts the child run of a run that retries another from its failed step. */
async function startChild(retried: RunDocument): Promise<RunDocument> {
  const retry = await queueRun({ _id: ++lastId, retryOf: retried._id, attempt: 2, reused: 0 });
  const effect = { kind: 'run', flow: '1', version: 'latest', input: '{}' } as const;
  const { _id } = await starter.start(retry, KEY, effect);
  return runOf(_id);
}

test('the child run of a retry retries no child run that retention removes', async () => {
  const parent = await storeEnded({ hasChildren: true });
  await childOf(parent, { expired: true });
  const { retryOf, copiesJournal, attempt } = await startChild(parent);
  expect([retryOf, copiesJournal, attempt]).toEqual([undefined, undefined, undefined]);
});

test('the child run of a retry runs everything where retention removes the journal to reuse', async () => {
  const parent = await storeEnded({ hasChildren: true });
  const gone = await childOf(await storeEnded(), { expired: true });
  const { _id } = await childOf(parent, { retryOf: gone._id, attempt: 2, copiesJournal: true });
  const { retryOf, copiesJournal, attempt } = await startChild(parent);
  expect([retryOf, copiesJournal, attempt]).toEqual([_id, undefined, 3]);
});

test.each([
  [100, true],
  [101, false],
])(
  'a retry looks for the child run in the 100 runs before it: in the %ith, %s',
  async (before, isFound) => {
    const parent = await storeEnded({ hasChildren: true });
    const { _id } = await childOf(parent);
    let last = parent;
    for (let n = 1; n < before; n++) last = await storeEnded({ retryOf: last._id });
    expect((await startChild(last)).retryOf).toBe(isFound ? _id : undefined);
  },
);
