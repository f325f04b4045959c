import { e2e } from '../../fixtures/e2e.ts';
import type { ModelAnswer, ModelRequest } from '../../helpers/model-server/model-answer.ts';

const { converse } = e2e();

/** What the model is told of the calls of its last step. */
const told = (request: ModelRequest | undefined): Record<string, { code: string }>[] =>
  (request?.body.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(String(content)));

async function answerOf(...answers: ModelAnswer[]) {
  const conversation = await converse(...answers);
  const { body } = await conversation.say('Hello');
  return { message: body, requests: await conversation.script.requests() };
}

const call = (tool: string, given: unknown): ModelAnswer => ({
  calls: [{ tool, arguments: given }],
});
const WRONG = call('issues_create', { title: 5 });

it('wrong arguments are told to the model twice, and then the answer ends', async () => {
  const { message, requests } = await answerOf(WRONG, WRONG, WRONG, { text: 'Never said.' });
  expect([message.status, requests.length]).toEqual(['FAILED', 3]);
  expect(message.content).toBe(
    'The answer ends here: the model has called tools wrongly three times.',
  );
  expect(message.toolCalls.map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'FAILED']);
  expect(told(requests[1])).toEqual([
    {
      error: expect.objectContaining({
        code: 'INVALID_ARGUMENTS',
        errors: expect.arrayContaining([expect.objectContaining({ path: 'title' })]),
      }),
    },
  ]);
});

it('a right call beside a wrong one can be approved', async () => {
  const right = { tool: 'issues_create', arguments: { title: 'Right', description: '' } };
  const both = { calls: [...(WRONG.calls ?? []), right] };
  const { message } = await answerOf(WRONG, WRONG, both);
  expect(message.status).toBe('WAITING_FOR_APPROVAL');
  expect(message.toolCalls.map(({ status }) => status)).toEqual([
    'FAILED',
    'FAILED',
    'FAILED',
    'WAITING',
  ]);
});

it('a model that corrects itself goes on', async () => {
  const right = call('issues_list', {});
  const { message } = await answerOf(WRONG, right, { text: 'None is open.' });
  expect([message.status, message.content]).toEqual(['COMPLETE', 'None is open.']);
  expect(message.toolCalls.map(({ status }) => status)).toEqual(['FAILED', 'DONE']);
});

it.each<[string, ModelAnswer, string]>([
  ['a tool that does not exist', call('issues_destroy', { issueId: 1 }), 'NO_SUCH_TOOL'],
  ['a tool that is offered to nobody', call('identity_createApiKey', {}), 'NO_SUCH_TOOL'],
  ['the name of an object', call('__proto__', {}), 'NO_SUCH_TOOL'],
  ['arguments that are no JSON', call('issues_list', '{"status": '), 'INVALID_ARGUMENTS'],
  ['arguments that are a list', call('issues_list', []), 'INVALID_ARGUMENTS'],
  ['an unknown argument', call('issues_list', { colour: 'red' }), 'INVALID_ARGUMENTS'],
  [
    'arguments of 100 kB',
    call('issues_create', { title: 'x'.repeat(100_000) }),
    'ARGUMENTS_TOO_LONG',
  ],
])('the model is told of %s', async (_what, wrong, code) => {
  const { message, requests } = await answerOf(wrong, { text: 'I see.' });
  expect([message.status, message.toolCalls[0]?.status]).toEqual(['COMPLETE', 'FAILED']);
  expect(told(requests[1])[0]?.error?.code).toBe(code);
});

it.each(['functions.issues.list', 'list the issues', 'x'.repeat(100)])(
  'the name %s of no tool reaches the model as one that its server takes',
  async (name) => {
    const { message, requests } = await answerOf(call(name, {}), { text: 'I see.' });
    expect(message.toolCalls[0]).toMatchObject({ operation: name, status: 'FAILED' });
    const asked = requests[1]?.body.messages.find((sent) => sent.role === 'assistant');
    expect(asked?.tool_calls).toEqual([
      expect.objectContaining({
        function: { name: expect.stringMatching(/^[\w-]{1,64}$/), arguments: '{}' },
      }),
    ]);
  },
);

it('what the model is told of unknown arguments does not grow with their names', async () => {
  const wrong = call('issues_list', { [`long-${'x'.repeat(30_000)}`]: 1 });
  const { message } = await answerOf(wrong, { text: 'I see.' });
  expect(message.toolCalls[0]?.result).toMatchObject({ errors: [{ code: 'unknown_field' }] });
  expect(JSON.stringify(message).length).toBeLessThan(4_000);
});

it('carries out 16 calls of a step, and tells the model of the others', async () => {
  const calls = Array(20).fill({ tool: 'issues_list', arguments: {} });
  const { message, requests } = await answerOf({ calls }, { text: 'Enough.' });
  expect(message.toolCalls.filter(({ status }) => status === 'DONE')).toHaveLength(16);
  expect(told(requests[1]).at(-1)?.error?.code).toBe('TOO_MANY_CALLS');
});

it('an answer ends after 20 steps, and says so', async () => {
  const step = call('issues_list', {});
  const { message, requests } = await answerOf(...Array(25).fill(step));
  expect([message.status, requests.length]).toEqual(['LIMIT', 20]);
  expect(message.content).toMatch(/^The answer ends here, after 20 steps\./);
});

it('an answer ends after too many tokens, and says so', async () => {
  const usage = { inputTokens: 300_000, outputTokens: 10 };
  const step = { ...call('issues_list', {}), usage };
  const { message, requests } = await answerOf(step, step, step);
  expect([message.status, requests.length]).toEqual(['LIMIT', 2]);
  expect(message.content).toMatch(/^The answer ends here, after 500000 tokens\./);
});
