import type { Evaluator } from '@workspace-automation/flow-language';
import type { RunDocument } from '../../../models/run.model.ts';
import { getRun } from '../../../services/runs/find-run.ts';
import { listRuns } from '../../../services/runs/list-runs.ts';
import {
  endOf,
  newRun,
  noEvaluator,
  onRunsDatabase,
  outputOf,
  planOf,
  queueRun,
  storeRun,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();

const CONFIGURATION = {
  id: 41,
  externalId: 'shop-berlin',
  updatedAt: new Date('2026-01-29T16:02:11.250Z'),
  properties: '{"region":"kept-value"}',
  pairs: '[{"flowId":1,"sourceAuthCredentialId":5,"destinationAuthCredentialId":null}]',
};
const SHOWN = { id: 41, externalId: 'shop-berlin', updatedAt: '2026-01-29T16:02:11.250Z' };

const plan = planOf({
  kind: 'set',
  name: 'read',
  path: '/do/0/read',
  value: { kind: 'expression', expression: { source: '$properties', variables: ['properties'] } },
});

/** Executes a run whose output is its `$properties`. */
async function propertiesOf(fields: Partial<RunDocument>): Promise<unknown> {
  const evaluator: Evaluator = {
    ...noEvaluator,
    evaluate: async ({ variables }) => JSON.parse(JSON.stringify(variables.properties)),
  };
  const worker = await started(workerOf({ plan, evaluator }));
  const run = newRun(fields);
  await worker.store(run, storeRun);
  return outputOf(await endOf(run));
}

test('$properties is what the store had at the start of the run', async () => {
  expect(await propertiesOf({ configuration: CONFIGURATION })).toEqual({ region: 'kept-value' });
});

test('$properties of a run without a store is empty', async () => {
  expect(await propertiesOf({})).toEqual({});
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
