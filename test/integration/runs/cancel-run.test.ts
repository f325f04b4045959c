import { isProblem } from '../../../contract/problem.ts';
import { cancelRun } from '../../../services/runs/cancel-run.ts';
import { NO_ENTRIES } from '../../../services/runs/engine/lease/leased-run.ts';
import { RunEnded } from '../../../services/runs/runs.problems.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { claimedRun, onRunsDatabase, queueRun, runOf } from './engine.ts';

onRunsDatabase();

let told: string[];
beforeEach(() => {
  told = [];
});
const listeners = {
  onEnded: () => void told.push('ended'),
  onRequested: () => void told.push('requested'),
};
const cancel = (_id: number, requestId: string | null) =>
  cancelRun({ _id, workspaceId: 1 }, changeContext({ requestId }), listeners);
const refusalOf = (cancelling: Promise<unknown>) =>
  cancelling.then(
    () => null,
    (error: unknown) => isProblem(error, RunEnded),
  );

test('a repeat of the request that has cancelled a run gets the run, another request a 409', async () => {
  const { _id } = await queueRun();
  await cancel(_id, 'one');
  expect(await cancel(_id, 'one')).toMatchObject({ _id, status: 'CANCELLED' });
  expect(await refusalOf(cancel(_id, 'two'))).toBe(true);
  expect(told).toEqual(['ended']);
  expect((await runOf(_id)).outbox).toHaveLength(1);
});

test('a repeat of the request finds the run that its worker has cancelled', async () => {
  const run = await claimedRun();
  const { _id } = run.doc;
  await cancel(_id, 'one');
  expect(await cancel(_id, 'one')).toMatchObject({ status: 'RUNNING' });
  await run.endCancelled();
  expect(await cancel(_id, 'one')).toMatchObject({ status: 'CANCELLED' });
  expect(await refusalOf(cancel(_id, 'two'))).toBe(true);
  expect(told).toEqual(['requested']);
});

test('a repeat of the request is refused where the run has ended otherwise', async () => {
  const run = await claimedRun();
  const { _id } = run.doc;
  await cancel(_id, 'one');
  await run.end({ status: 'SUCCESS', output: '1' }, NO_ENTRIES);
  expect(await refusalOf(cancel(_id, 'one'))).toBe(true);
});

test('a second cancel without a request is refused', async () => {
  const { _id } = await queueRun();
  await cancel(_id, null);
  expect(await refusalOf(cancel(_id, null))).toBe(true);
});
