import { e2e } from '../../fixtures/e2e.ts';
import type { ModelAnswer } from '../../helpers/model-server/model-answer.ts';
import type { Script } from '../../helpers/model-server/model-server.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { endOf, type RunAnswer, runToEnd, startRun, stepsOf } from '../../helpers/runs.ts';

const { owner, workspace, model, converse } = e2e();

const SCHEMA = {
  type: 'object',
  required: ['count'],
  properties: { count: { type: 'integer' } },
  additionalProperties: false,
};

/** Branches of a run, more than are answered at once. */
const BRANCHES = 20;

/** A flow that asks the agent, with the mark of a script in its prompt. */
const flowOf = (script: Script, fields: object = {}): Promise<number> => {
  const ask = { call: 'agent', with: { prompt: `Count the issues ${script.mark}`, ...fields } };
  return workspace.flow(JSON.stringify({ do: [{ ask }] }));
};

async function runPrompt(fields: object, ...answers: ModelAnswer[]) {
  const script = await model.script(...answers);
  const run = await runToEnd(owner, await flowOf(script, fields));
  return { run, requests: await script.requests() };
}

interface Transcript {
  transcript?: { operation: string; arguments: unknown; status: string; result: unknown }[];
}
async function transcriptOf(run: RunAnswer): Promise<Transcript['transcript']> {
  const [step] = await stepsOf(owner, run.id);
  const path = `/flows/runs/${run.id}/steps/${step?.id}`;
  return (await owner.call<Transcript>('GET', path)).body.transcript;
}

it('gives text without a schema', async () => {
  const { run, requests } = await runPrompt({}, { text: 'There is none.' });
  expect(run).toMatchObject({ status: 'SUCCESS', output: 'There is none.' });
  expect(requests).toHaveLength(1);
  expect(requests[0]?.body.tools ?? []).toEqual([]);
});

it('reads the workspace of the run with the tools that the flow names, and shows their calls', async () => {
  await workspace.issue('A tooth is loose');
  const { run, requests } = await runPrompt(
    { schema: SCHEMA, tools: ['issues.list'] },
    { calls: [{ tool: 'issues_list', arguments: {} }] },
    { text: '```json\n{"count": 1}\n```' },
  );
  expect(run).toMatchObject({ status: 'SUCCESS', output: { count: 1 } });
  const offered = requests[0]?.body.tools?.map((tool) => tool.function.name);
  expect(offered).toEqual(['issues_list']);
  expect(await transcriptOf(run)).toMatchObject([
    {
      operation: 'issues.list',
      arguments: { workspaceId: workspace.id },
      status: 'DONE',
      result: { items: [{ title: 'A tooth is loose' }] },
    },
  ]);
});

it('reads no other workspace, and changes nothing', async () => {
  const other = await createWorkspace(owner);
  const { run } = await runPrompt(
    { tools: ['issues.list'] },
    { calls: [{ tool: 'issues_list', arguments: { workspaceId: other } }] },
    { calls: [{ tool: 'issues_create', arguments: { title: 'Planted', description: '' } }] },
    { text: 'I could not.' },
  );
  expect(run).toMatchObject({ status: 'SUCCESS', output: 'I could not.' });
  const transcript = await transcriptOf(run);
  expect(transcript).toMatchObject([
    { operation: 'issues.list', status: 'FAILED', result: { status: 404 } },
    { operation: 'issues.create', status: 'FAILED', result: { code: 'NO_SUCH_TOOL' } },
  ]);
  const issues = await owner.call<unknown[]>('GET', `${workspace.issues}?q=planted`);
  expect(issues.body).toEqual([]);
});

it.each([
  ['no JSON', 'One.'],
  ['a value of another type', '{"count":"one"}'],
  ['JSON of 40 levels', '['.repeat(40) + ']'.repeat(40)],
])('tells the model twice that %s does not do, and takes the third answer', async (_, text) => {
  const wrong = { text };
  const answers = [wrong, wrong, { text: '{"count":1}' }];
  const { run, requests } = await runPrompt({ schema: SCHEMA }, ...answers);
  expect(run).toMatchObject({ status: 'SUCCESS', output: { count: 1 } });
  expect(requests).toHaveLength(3);
  expect(requests[2]?.body.messages.at(-1)?.content).toContain('Answer again');
});

it('fails with AGENT_OUTPUT_INVALID after two corrections', async () => {
  const wrong = { text: '{"count":"one"}' };
  const answers = [{ calls: [{ tool: 'issues_list', arguments: {} }] }, wrong, wrong, wrong, wrong];
  const { run, requests } = await runPrompt({ schema: SCHEMA, tools: ['issues.list'] }, ...answers);
  expect(run.error).toMatchObject({
    type: 'https://serverlessworkflow.io/spec/1.0.0/errors/validation',
    status: 400,
    title: 'AGENT_OUTPUT_INVALID',
    detail: expect.stringContaining('/count'),
    instance: '/do/0/ask',
  });
  expect(requests).toHaveLength(4);
  expect(await transcriptOf(run)).toMatchObject([{ operation: 'issues.list', status: 'DONE' }]);
});

it('fails with AGENT_LIMIT after 20 steps', async () => {
  const call = { calls: [{ tool: 'issues_list', arguments: {} }] };
  const { run } = await runPrompt({ tools: ['issues.list'] }, ...Array(25).fill(call));
  expect(run.error).toMatchObject({
    type: 'https://serverlessworkflow.io/spec/1.0.0/errors/timeout',
    status: 408,
    title: 'AGENT_LIMIT',
    detail: expect.stringContaining('20 steps'),
  });
  expect(await transcriptOf(run)).toContainEqual(
    expect.objectContaining({ operation: 'issues.list', status: 'DONE' }),
  );
});

it.each([
  ['changes something', 'issues.create'],
  ['does not exist', 'issues.count'],
  ['is for nobody in a flow', 'workspaces.list'],
  ['takes a role above MEMBER', 'workspaces.listAudit'],
])('fails where a tool %s', async (_, tool) => {
  const { run, requests } = await runPrompt({ tools: [tool] }, { text: 'Never asked.' });
  expect(run.error).toMatchObject({
    title: 'REFERENCE_NOT_FOUND',
    status: 400,
    instance: '/do/0/ask',
    detail: expect.stringContaining(tool),
  });
  expect(requests).toEqual([]);
});

it('fails with a model that answers with an error', async () => {
  const { run } = await runPrompt(
    { tools: ['issues.list'] },
    { calls: [{ tool: 'issues_list', arguments: {} }] },
    { status: 400, body: '{"error":{"message":"sk-secret"}}' },
  );
  expect(await transcriptOf(run)).toMatchObject([{ operation: 'issues.list', status: 'DONE' }]);
  expect(run.error).toMatchObject({ title: 'CONNECTION_FAILED', status: 500 });
  expect(JSON.stringify(run)).not.toContain('sk-secret');
});

it('answers all branches of a run, each once, although not all of them at once', async () => {
  const gate = `branches-${workspace.id}`;
  const script = await model.script(...Array(BRANCHES).fill({ text: 'Here.', gate }));
  const ask = { call: 'agent', with: { prompt: `Say where you are ${script.mark}` } };
  const branches = Array.from({ length: BRANCHES }, (_, n) => ({ [`branch${n}`]: ask }));
  const content = JSON.stringify({ do: [{ all: { fork: { branches } } }] });
  const run = await startRun(owner, await workspace.flow(content));
  await script.untilAsked(16);
  const person = await converse({ text: 'At once.' });
  expect((await person.say('Hello')).body.content).toBe('At once.');
  await model.openGate(gate);
  const end = await endOf(owner, run.body.id, 20_000);
  expect(end).toMatchObject({ status: 'SUCCESS', output: Array(BRANCHES).fill('Here.') });
  expect(await script.requests()).toHaveLength(BRANCHES);
});

it('ends at once when the run is cancelled', async () => {
  const script = await model.script({ text: 'Late', gate: `cancel-${workspace.id}` });
  const run = await startRun(owner, await flowOf(script));
  await script.untilAsked(1);
  await owner.call('POST', `/flows/runs/${run.body.id}/cancel`);
  expect(await endOf(owner, run.body.id, 10_000)).toMatchObject({ status: 'CANCELLED' });
});
