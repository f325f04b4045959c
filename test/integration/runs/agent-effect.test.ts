import { Readable } from 'node:stream';
import type { Task } from '@workspace-automation/flow-language';
import { invalidField, NotFound, Problem, Unavailable } from '../../../contract/problem.ts';
import type { PromptAnswer } from '../../../services/assistant/contract/prompt-answer.ts';
import type { AssistantCalls } from '../../../services/runs/engine/execution/effects/effect.ts';
import { getStep, listSteps } from '../../../services/runs/steps.ts';
import { CANARY, describedCall, onDescribedRuns, sendJson } from './described-calls.ts';
import { errorOf, literal } from './engine.ts';

const { server, runTasks } = onDescribedRuns();

type Question = Parameters<AssistantCalls['answerPrompt']>[1];

const agentTask = (fields: Partial<Extract<Task, { kind: 'call-agent' }>> = {}): Task => ({
  kind: 'call-agent',
  name: 'ask',
  path: '/do/ask',
  prompt: literal('Sum up'),
  tools: ['issues.list'],
  ...fields,
});

/** An answer as the service `assistant` sends it: spaces, and then the JSON. */
const sent = (answer: PromptAnswer): Readable => Readable.from([' ', ' ', JSON.stringify(answer)]);

/** Runs tasks to their end, while `answerPrompt` answers for the service `assistant`. */
const ask = (tasks: readonly Task[], answerPrompt: AssistantCalls['answerPrompt']) =>
  runTasks(tasks, {}, { assistant: { answerPrompt } });

test('neither the prompt nor the answer shows a secret that the run has sent', async () => {
  const seen: Question[] = [];
  server.answer = (_, response) => sendJson(response, {});
  const prompt = literal(`What is ${CANARY}?`);
  const run = await ask([describedCall('first'), agentTask({ prompt })], async (_, question) => {
    seen.push(question);
    const call = { operation: 'issues.list', arguments: {}, status: 'DONE' } as const;
    const transcript = [{ ...call, result: `${CANARY}!` }];
    return sent({ ok: true, value: `It is ${CANARY}`, transcript });
  });
  expect(seen).toMatchObject([{ prompt: 'What is ***?' }]);
  expect(run.output).toBe('"It is ***"');
  const { items } = await listSteps({ runId: run._id, limit: 10 });
  const step = await getStep({ runId: run._id, stepId: items.at(-1)?.id ?? 0 });
  expect(step.transcript).toMatchObject([{ result: '***!' }]);
});

test.each([
  [
    'a long prompt',
    invalidField('prompt', 'too_big', 'must have at most 9 bytes'),
    { title: 'INPUT_REFUSED', detail: 'the prompt is refused: "prompt" must have at most 9 bytes' },
  ],
  ['a deleted workspace', new Problem(NotFound, 'gone'), { title: 'REFERENCE_NOT_FOUND' }],
])('a run with %s fails', async (_, refusal, error) => {
  const run = await ask([agentTask()], () => Promise.reject(refusal));
  expect(run.status).toBe('FAILED');
  expect(errorOf(run)).toMatchObject({ instance: '/do/ask', ...error });
});

test('a run waits through an outage and through a stream that breaks, and asks again', async () => {
  let asked = 0;
  const run = await ask([agentTask()], async () => {
    asked++;
    if (asked === 1) throw new Problem(Unavailable, 'away');
    if (asked === 2) return broken();
    return sent({ ok: true, value: 'Here.', transcript: [] });
  });
  expect(run).toMatchObject({ status: 'SUCCESS', output: '"Here."', backoff: { times: 2 } });
});

/** The stream of a process that dies. */
const broken = (): Readable =>
  Readable.from(
    (async function* () {
      yield ' ';
      throw new Problem(Unavailable, 'the process has died');
    })(),
  );

test('a task that times out stops reading the answer', async () => {
  const silent = new Readable({ read: () => undefined });
  const run = await ask([agentTask({ timeoutMs: 300 })], async () => silent);
  expect(errorOf(run)).toMatchObject({ title: 'TASK_TIMEOUT' });
  expect(silent.destroyed).toBe(true);
});
