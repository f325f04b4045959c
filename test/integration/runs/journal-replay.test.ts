import { EvaluationError, type Evaluator, type Task } from '@workspace-automation/flow-language';
import type { EffectRecord } from '../../../models/journal-entry.ts';
import {
  callsTo,
  endOf,
  errorOf,
  handOver,
  noEvaluator,
  onRunsDatabase,
  planOf,
  queueRun,
  type Send,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();

const expression = { kind: 'expression', expression: { source: '1', variables: [] } } as const;
const [fine, caught, held] = callsTo('/fine', '/caught', '/held').tasks as [Task, Task, Task];
const costly: Task = {
  kind: 'set',
  name: 'costly',
  path: '/do/0/branch/try/0/costly',
  value: expression,
};
/** Evaluates one expression; calls `/fine` if that went well, `/caught` if not, and then `/held`. */
const branching = planOf(
  {
    kind: 'try',
    name: 'branch',
    path: '/do/0/branch',
    tasks: [costly, fine],
    catch: { as: 'error', tasks: [caught] },
  },
  held,
);

const tooSlow: Evaluator = {
  ...noEvaluator,
  evaluate: () => Promise.reject(new EvaluationError('EXPRESSION_TIMEOUT', 'it took too long')),
};
const fastEnough: Evaluator = { ...tooSlow, evaluate: async () => 1 };

/** The calls of a run, with one evaluator up to `/held`, and with another from there to its end. */
async function taken(first: Evaluator, second: Evaluator): Promise<string[]> {
  const run = await queueRun();
  const plan = branching;
  const sent = await handOver(run, { plan, evaluator: first }, { plan, evaluator: second });
  await endOf(run, 'SUCCESS');
  return sent;
}

test('a limit that was met by chance is met again, and the same branch is taken', async () => {
  expect(await taken(tooSlow, fastEnough)).toEqual(['/caught', '/held', '/held']);
});

test('a limit that is met by chance in a replay is none of the flow: the run is tried again', async () => {
  const asked: (boolean | undefined)[] = [];
  const slowOnce: Evaluator = {
    ...tooSlow,
    evaluate: (request) => {
      asked.push(request.repeated);
      return (asked.length === 1 ? tooSlow : fastEnough).evaluate(request);
    },
  };
  expect(await taken(fastEnough, slowOnce)).toEqual(['/fine', '/held', '/held']);
  expect(asked).toEqual([true, true]);
});

const CALLED = '/do/0/call0//1/1';
test.each([
  ['that the run does not come by', '/do/7/gone//1/1', { kind: 'succeeded', json: '1' }],
  ['of a kind that nobody knows', CALLED, { kind: 'forked', json: '1' }],
  ['that is no JSON', CALLED, { kind: 'succeeded', json: '{' }],
])('an entry %s ends the run before anything is done', async (_, key, end) => {
  const sent: string[] = [];
  const send: Send = async ({ url }) => void sent.push(url);
  const effect = { ...end, completedAt: 5 } as EffectRecord;
  const { _id } = await queueRun({ journal: [{ n: 1, key, effect }], entries: 1 });
  await started(workerOf({ plan: callsTo('/a', '/b'), send }));
  const ended = await endOf({ _id }, 'FAILED');
  expect(errorOf(ended)).toMatchObject({ title: 'REPLAY_DIVERGED', instance: '/do/0/call0' });
  expect(sent).toEqual([]);
});
