import { listSteps } from '../../../services/runs/steps.ts';
import { callsTo, endOf, handOver, onRunsDatabase, queueRun, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

/** Bytes of step records with which a run has room for one small record. */
const ALMOST_FULL = 40 * 1024 * 1024 - 1;

const pageOf = (runId: number) => listSteps({ runId, limit: 100 });

test('steps that are not recorded are counted, also when all of a batch are left out', async () => {
  const run = await queueRun({ keptBytes: ALMOST_FULL });
  await started(workerOf({ plan: callsTo('/a', '/b', '/c') }));
  await endOf(run);
  const { items, omitted } = await pageOf(run._id);
  expect(items.map(({ name }) => name)).toEqual(['call0']);
  expect(omitted).toBe(2);
});

test('a run whose steps are all recorded has none of it', async () => {
  const run = await queueRun();
  await started(workerOf({ plan: callsTo('/a') }));
  await endOf(run);
  expect(await pageOf(run._id)).not.toHaveProperty('omitted');
});

test('a replay counts no step twice', async () => {
  const run = await queueRun({ keptBytes: ALMOST_FULL });
  const plan = callsTo('/a', '/b', '/held', '/c');
  const sent = await handOver(run, { plan }, undefined, async () =>
    expect(await pageOf(run._id)).toMatchObject({ omitted: 1 }),
  );
  expect(sent).toEqual(['/a', '/b', '/held', '/held', '/c']);
  expect(await pageOf(run._id)).toMatchObject({ items: [{ name: 'call0' }], omitted: 3 });
});
