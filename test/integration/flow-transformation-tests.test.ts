import { FlowModel } from '../../models/flow.model.ts';
import { FlowVersionModel } from '../../models/flow-version.model.ts';
import { TransformationTestModel } from '../../models/transformation-test.model.ts';
import type { Json } from '../../packages/flow-language/plan.ts';
import { createFlow } from '../../services/flows/create-flow.ts';
import { getFlow } from '../../services/flows/find-flow.ts';
import { flows } from '../../services/flows/flows.store.ts';
import { removeFlow, removeParts } from '../../services/flows/remove-flow.ts';
import { createTest } from '../../services/flows/transformations/create-test.ts';
import {
  delayDueTest,
  endDueTest,
  leaseDueTest,
  scheduleTests,
} from '../../services/flows/transformations/due-tests.ts';
import { runTest } from '../../services/flows/transformations/run-test.ts';
import { TestWorker } from '../../services/flows/transformations/test-worker.ts';
import { updateFlow } from '../../services/flows/update-flow.ts';
import { writeVersionRow } from '../../services/flows/versions/new-version.ts';
import { closeSandbox } from '../../support/sandbox.ts';
import { changeContext } from '../helpers/change-context.ts';
import { useDatabase } from '../helpers/database.ts';
import { ownShareOf } from '../helpers/own-share.ts';
import { waitFor } from '../helpers/wait.ts';

const BY = changeContext({ operation: 'flows.update', audit: { resource: 'flow' } });
const CHECKS = { assertCompiles: async () => 0 };
const OWNERS = { ofWorkspace: ownShareOf };

useDatabase([FlowModel, FlowVersionModel, TransformationTestModel]);
afterAll(closeSandbox);

let names = 0;
const newFlow = async (workspaceId = 1) => {
  const flow = { workspaceId, name: `flow ${names++}`, content: 'do: []' };
  return getFlow((await createFlow(flow, BY, CHECKS)).id);
};
async function newTest(workspaceId = 1, expected: Json = 1) {
  const flow = await newFlow(workspaceId);
  const test = { flowId: flow._id, name: 'x', expression: '1', input: null, expected };
  const { id } = await createTest(flow, test, BY);
  return { flow, flowId: flow._id, workspaceId, id };
}
const stored = (id: number) => TransformationTestModel.findById(id).orFail().lean();
type Made = Awaited<ReturnType<typeof newTest>>;
const schedule = ({ flowId, workspaceId }: Made, sequence: number) => {
  const entry = { id: `entry-${sequence}`, at: new Date().toISOString() };
  const version = { workspaceId, flowId, versionId: 100 + sequence, sequence };
  return scheduleTests({ entries: [{ ...entry, ...version }] }, OWNERS);
};
async function leased(after?: string) {
  const test = await leaseDueTest([], after);
  if (!test) throw new Error('no test is due');
  return test;
}

beforeEach(() => TransformationTestModel.deleteMany({}));

test('the result of an older version does not replace that of a newer one', async () => {
  const { id } = await newTest();
  const share = await ownShareOf(1);
  await runTest(await stored(id), { versionId: 7, sequence: 3 }, share);
  await runTest(await stored(id), { versionId: 5, sequence: 2 }, share);
  expect((await stored(id)).lastResult).toMatchObject({ versionId: 7, passed: true });
  await runTest({ ...(await stored(id)), expected: '2' }, { versionId: 7, sequence: 3 }, share);
  expect((await stored(id)).lastResult).toMatchObject({ versionId: 7, passed: false });
});

test('a test has one due run, that of the newest version, however often and late an entry comes', async () => {
  const made = await newTest();
  for (const sequence of [2, 3, 2, 3]) await schedule(made, sequence);
  expect((await stored(made.id)).due).toMatchObject({ versionId: 103, owner: 'person:1' });
  const test = await leased();
  await runTest(test, test.due, await ownShareOf(1));
  await endDueTest(test);
  for (const sequence of [2, 3]) await schedule(made, sequence);
  expect((await stored(made.id)).due).toBeUndefined();
});

test('a run that a newer version makes due during a run stays due', async () => {
  const made = await newTest();
  await schedule(made, 2);
  const test = await leased();
  await schedule(made, 3);
  await endDueTest(test);
  await delayDueTest(test);
  expect((await leased()).due.sequence).toBe(3);
});

test('a run whose process has died is leased again after its lease, and owners take turns', async () => {
  const first = await newTest(1);
  const second = await newTest(2);
  for (const made of [first, second]) await schedule(made, 2);
  const test = await leased();
  expect(test._id).toBe(first.id);
  expect((await leased('person:1'))._id).toBe(second.id);
  expect(await leaseDueTest([])).toBeNull();
  await TransformationTestModel.updateMany({}, { $set: { 'due.at': new Date(0) } });
  expect((await leaseDueTest(['person:1']))?._id).toBe(second.id);
  expect((await leased())._id).toBe(first.id);
});

test('a worker runs what is due, of every owner', async () => {
  const worker = new TestWorker(OWNERS, (error) => {
    throw error;
  });
  const made: Made[] = [];
  for (let n = 1; n <= 6; n++) made.push(await newTest(n, n % 2));
  for (const each of made) await schedule(each, 2);
  worker.wake();
  await waitFor('the results', async () => {
    const due = await TransformationTestModel.countDocuments({ due: { $exists: true } });
    return due === 0;
  });
  for (const { id, workspaceId } of made) {
    expect((await stored(id)).lastResult?.passed).toBe(workspaceId % 2 === 1);
  }
  await worker.stop();
});

test('a stored version asks for the runs in its outbox', async () => {
  const { flow, flowId } = await newTest();
  await updateFlow(flow, { flowId, content: 'do: []\n' }, BY, CHECKS);
  const { outbox } = await FlowModel.findById(flowId, { outbox: 1 }).orFail().lean();
  expect(outbox).toContainEqual(
    expect.objectContaining({
      call: 'flows.scheduleTransformationTests',
      params: expect.objectContaining({ flowId, sequence: 2 }),
    }),
  );
});

test('versions and tests go with their flow, and entries of the tests are carried on', async () => {
  const { flow, flowId, id } = await newTest();
  await removeFlow(flow, true, BY, () => Promise.reject(new Error('nothing is counted')));
  const entries = [{ id: 'entry', at: new Date().toISOString(), flowId }];
  for (let n = 0; n < 2; n++) await removeParts({ entries });
  expect(await FlowVersionModel.countDocuments({ flowId })).toBe(0);
  const tombstone = await TransformationTestModel.findById(id).lean();
  expect(tombstone).toMatchObject({ removedAt: expect.any(Date), outbox: [expect.anything()] });
  expect(tombstone).not.toHaveProperty('flowId');
});

test('a test and a version row that come after the deletion of their flow leave nothing', async () => {
  const flow = await newFlow();
  await flows.remove(flow, BY);
  const test = { flowId: flow._id, name: 'x', expression: '1', input: null, expected: 1 };
  await expect(createTest(flow, test, BY)).rejects.toMatchObject({ code: 404 });
  expect(await TransformationTestModel.countDocuments({ flowId: flow._id })).toBe(0);
  const { actor: createdBy } = BY;
  const row = { id: 999, sequence: 2, content: 'do: []', createdBy, createdAt: new Date() };
  await writeVersionRow(flow._id, row);
  expect(await FlowVersionModel.countDocuments({ _id: 999 })).toBe(0);
});
