import type { Plan, Value } from '@workspace-automation/flow-language';
import type { RunDocument } from '../../../models/run.model.ts';
import { getRun } from '../../../services/runs/find-run.ts';
import { listRuns } from '../../../services/runs/list-runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, newRun, onRunsDatabase, queueRun, runOf, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

const CONFIGURATION = {
  id: 41,
  externalId: 'shop-berlin',
  updatedAt: new Date('2026-01-29T16:02:11.250Z'),
  properties: '{"region":"kept-value"}',
  pairs: '[{"flowId":1,"sourceAuthCredentialId":5,"destinationAuthCredentialId":null}]',
};
const SHOWN = { id: 41, externalId: 'shop-berlin', updatedAt: '2026-01-29T16:02:11.250Z' };

const plan: Plan = {
  ...callsTo(),
  tasks: [
    {
      kind: 'set',
      name: 'read',
      path: '/do/0/read',
      value: {
        kind: 'expression',
        expression: { source: '$properties', variables: ['properties'] },
      },
    },
  ],
};

/** Executes a run whose output is its `$properties`. */
async function outputOf(fields: Partial<RunDocument>): Promise<unknown> {
  const run = newRun(fields);
  const worker = await started(
    workerOf({
      plan,
      evaluator: {
        evaluate: async ({ variables }): Promise<Value> =>
          JSON.parse(JSON.stringify(variables.properties)),
        test: () => Promise.reject(new Error('there are no tests here')),
      },
    }),
  );
  await worker.store(run, () => queueRun(run));
  await waitFor('the end', async () => !(await runOf(run._id)).live);
  const { output } = await runOf(run._id);
  return JSON.parse(output ?? 'null');
}

test('$properties is what the store had at the start of the run', async () => {
  expect(await outputOf({ configuration: CONFIGURATION })).toEqual({ region: 'kept-value' });
});

test('$properties of a run without a store is empty', async () => {
  expect(await outputOf({})).toEqual({});
});

test('a run that is read for an answer comes without the values of its store', async () => {
  const { _id, flowId = 0 } = await queueRun({ configuration: CONFIGURATION });
  const { id, externalId, updatedAt } = CONFIGURATION;
  expect((await getRun(_id)).configuration).toEqual({ id, externalId, updatedAt });
  const { items } = await listRuns({ flowId, limit: 10 });
  expect(items.map(({ configuration }) => configuration)).toEqual([SHOWN]);
});

test('a run of an older version has no configuration', async () => {
  const { flowId = 0 } = await queueRun();
  const { items } = await listRuns({ flowId, limit: 10 });
  expect(items.map(({ configuration }) => configuration)).toEqual([null]);
});
