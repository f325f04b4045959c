import type { Compiled } from '@workspace-automation/flow-language';
import { RunModel } from '../../../models/run.model.ts';
import type { Engine } from '../../../services/runs/engine/engine.ts';
import { PlanCache } from '../../../services/runs/engine/execution/plan-cache.ts';
import { RunEndWaiters } from '../../../services/runs/engine/run-end-waiters.ts';
import { StartQuotas } from '../../../services/runs/quotas/start-quotas.ts';
import { FlowLookup } from '../../../services/runs/starts/flow-lookup.ts';
import { storeRun } from '../../../services/runs/starts/prepare-run.ts';
import { RunStarter, type StartEngine } from '../../../services/runs/starts/run-starter.ts';
import { WorkflowLookup } from '../../../services/runs/starts/workflow-lookup.ts';
import { storeStep } from '../../../services/workflow-steps/stored-steps.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { callsTo, onRunsDatabase } from './engine.ts';

onRunsDatabase();

const WORKFLOW = { id: 81, workspaceId: 1, name: 'Order sync' };
const STEPS = [storeStep({ key: 'only', definition: { set: { a: 1 } } })];
const COMPILED: Compiled = { plan: callsTo(), faults: [], warnings: [] };

/** A starter beside a service of workflows. */
function starterOf({ queuedRuns = null }: { queuedRuns?: number | null } = {}) {
  const asked: string[] = [];
  const ask = (async (name: string) => {
    asked.push(name);
    return { workflow: WORKFLOW, revision: 4, steps: STEPS };
  }) as Engine['ask'];
  const endWaiters = new RunEndWaiters((error) => {
    throw error;
  });
  const plans = new PlanCache({ contentOf: async () => null, compile: async () => COMPILED });
  const engine: StartEngine = {
    endWaiters,
    startTools: {
      planOf: (source, share, content) => plans.planOf(source, share, 'start', content),
      validateInput: () => Promise.reject(new Error('no input is checked here')),
      findConfiguration: () => Promise.reject(new Error('there are no stores here')),
    },
    flows: new FlowLookup({ ask, plans: { has: () => false } }),
    workflows: new WorkflowLookup({ ask }),
    owners: { ofWorkspace: async () => ({ owner: 'person:1', tenant: 'workspace:1' }) },
    store: async (run) => {
      await storeRun(run);
      return run;
    },
    awaitEnd: async (run) => run,
    completeVersion: () => Promise.reject(new Error('no flow is started here')),
  };
  const quotas = new StartQuotas({ queuedRuns, runBytes: null });
  const starter = new RunStarter(engine, quotas);
  const start = (wait?: number, reservedId?: number) =>
    starter.execute(WORKFLOW, 'published', {
      input: '{}',
      configuration: null,
      wait,
      change: changeContext({ audit: { resource: 'run' }, reservedId }),
      traceparent: undefined,
      nodeID: null,
    });
  return { start, asked, endWaiters };
}

test('a start stores the steps with the run', async () => {
  const { start, asked, endWaiters } = starterOf();
  const { _id } = await start();
  expect(asked).toEqual(['workflows.published']);
  const { execution, live } = await RunModel.findById(_id).orFail().lean();
  expect([execution, live]).toMatchObject([
    {
      workflowId: 81,
      workflowName: 'Order sync',
      revision: 4,
      content: '{"do":[{"only":{"set":{"a":1}}}]}',
    },
    true,
  ]);
  endWaiters.close();
});

test('attempts of one start that meet store one run, and all of them answer it', async () => {
  const { start, endWaiters } = starterOf();
  const runs = await Promise.all(Array.from({ length: 5 }, () => start(undefined, 4_711)));
  expect(runs.map(({ _id }) => _id)).toEqual(Array(5).fill(4_711));
  expect(await RunModel.countDocuments({ _id: 4_711 })).toBe(1);
  endWaiters.close();
});

test('an attempt that meets another ends no wait of the other', async () => {
  const { start, endWaiters } = starterOf();
  const attempts = [1, 2].map(() => start(20_000, 4_714));
  await Promise.race(attempts);
  expect(endWaiters.resolveRun(4_714)).toBe(true); // the attempt that has stored the run still waits
  expect((await Promise.all(attempts)).map(({ _id }) => _id)).toEqual([4_714, 4_714]);
  endWaiters.close();
});

test('an attempt of a start is not refused for the place in the queue that another attempt has taken', async () => {
  const { start, endWaiters } = starterOf({ queuedRuns: 1 });
  const runs = await Promise.all(Array.from({ length: 5 }, () => start(undefined, 4_712)));
  expect(runs.map(({ _id }) => _id)).toEqual(Array(5).fill(4_712));
  await expect(start(undefined, 4_713)).rejects.toMatchObject({ type: 'QUOTA_REACHED' });
  endWaiters.close();
});
