import { Readable } from 'node:stream';
import type { Task } from '@workspace-automation/flow-language';
import { invalidField, NotFound, Problem, Unavailable } from '../../../contract/problem.ts';
import { notConfigured } from '../../../services/assistant/assistant.problems.ts';
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
const CALL = { operation: 'issues.list', arguments: {}, status: 'DONE', result: [] } as const;

/** Runs tasks to their end, while `answerPrompt` answers for the service `assistant`. */
const ask = (tasks: readonly Task[], answerPrompt: AssistantCalls['answerPrompt']) =>
  runTasks(tasks, {}, { assistant: { answerPrompt } });

async function lastStep(runId: number) {
  const { items } = await listSteps({ runId, limit: 10 });
  return getStep({ runId, stepId: items.at(-1)?.id ?? 0 });
}

test('the agent is asked as the run, and its answer is the output', async () => {
  const seen: unknown[] = [];
  const schema = { type: 'object' };
  const run = await ask([agentTask({ schema })], async ({ _id, workspaceId }, question) => {
    seen.push([{ _id, workspaceId }, question]);
    return sent({ ok: true, value: { summary: 'All is well.' }, transcript: [CALL] });
  });
  expect(seen).toEqual([
    [
      { _id: run._id, workspaceId: 3 },
      {
        workspaceId: 3,
        prompt: 'Sum up',
        schema,
        tools: ['issues.list'],
      },
    ],
  ]);
  expect(JSON.parse(run.output ?? '')).toEqual({ summary: 'All is well.' });
  const step = await lastStep(run._id);
  expect(step).toMatchObject({ request: null, transcript: [CALL] });
});

test('neither the prompt nor the answer shows a secret that the run has sent', async () => {
  const seen: Question[] = [];
  server.answer = (_, response) => sendJson(response, {});
  const prompt = literal(`What is ${CANARY}?`);
  const run = await ask([describedCall('first'), agentTask({ prompt })], async (_, question) => {
    seen.push(question);
    const call = { ...CALL, result: `${CANARY}!` };
    return sent({ ok: true, value: `It is ${CANARY}`, transcript: [call] });
  });
  expect(seen).toMatchObject([{ prompt: 'What is ***?' }]);
  expect(run.output).toBe('"It is ***"');
  const { transcript } = await lastStep(run._id);
  expect(transcript).toMatchObject([{ result: '***!' }]);
});

test.each([
  ['AGENT_LIMIT', { title: 'AGENT_LIMIT', status: 408 }],
  ['AGENT_OUTPUT_INVALID', { title: 'AGENT_OUTPUT_INVALID', status: 400 }],
  ['MODEL_FAILED', { title: 'CONNECTION_FAILED', status: 500 }],
] as const)(
  'an answer that ends with %s fails the task, and keeps its transcript',
  async (code, error) => {
    const run = await ask([agentTask()], async () =>
      sent({ ok: false, code, detail: 'the model is tired', transcript: [CALL] }),
    );
    expect(run.status).toBe('FAILED');
    expect(errorOf(run)).toMatchObject({ ...error, detail: 'the model is tired' });
    expect(await lastStep(run._id)).toMatchObject({ transcript: [CALL] });
  },
);

test.each([
  ['no model', notConfigured(), { title: 'AGENT_NOT_CONFIGURED', status: 503 }],
  [
    'a tool that changes something',
    invalidField('tools.0', 'not_a_reading_tool', 'issues.create is no operation to read with'),
    { title: 'REFERENCE_NOT_FOUND', detail: 'issues.create is no operation to read with' },
  ],
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
