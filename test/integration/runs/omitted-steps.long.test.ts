import type { Plan } from '@workspace-automation/flow-language';
import { listSteps } from '../../../services/runs/steps.ts';
import { callsTo, endOf, onRunsDatabase, queueRun, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

test('of 60 001 steps of a loop 50 000 are recorded', async () => {
  const inner = Array.from({ length: 6 }, (_, n) => ({
    kind: 'set' as const,
    name: `set${n}`,
    path: `/do/0/each/do/${n}/set${n}`,
    value: { kind: 'literal' as const, value: n },
  }));
  const source = { source: 'x', variables: [] };
  const plan: Plan = {
    ...callsTo(),
    tasks: [
      {
        kind: 'for',
        name: 'each',
        path: '/do/0/each',
        each: 'item',
        at: 'index',
        in: source,
        tasks: inner,
      },
    ],
  };
  const evaluator = {
    evaluate: async () => Array.from({ length: 10_000 }, () => 0),
    test: () => Promise.reject(new Error('nothing is tested')),
  };
  const run = await queueRun();
  await started(workerOf({ plan, evaluator }));
  await endOf(run, 'SUCCESS');
  const { items, omitted } = await listSteps({ runId: run._id, limit: 100 });
  expect([items.length, omitted]).toEqual([100, 10_001]);
});
