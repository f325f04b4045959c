import { e2e } from '../../fixtures/e2e.ts';
import type { Message } from '../../helpers/conversations.ts';
import type { ModelAnswer } from '../../helpers/model-server/model-answer.ts';
import { API_KEY } from '../../helpers/model-server/model-server.ts';

const { owner, workspace, model, converse } = e2e();

const TEXT = 'The first half of a sentence, and its second half.';
const CREATE = {
  tool: 'issues_create',
  arguments: { title: 'Half', description: 'x'.repeat(200) },
};

/** The answer to a message, how often the model was asked, and what the transcript shows. */
async function answerOf(...answers: ModelAnswer[]) {
  const conversation = await converse(...answers);
  const { status, body } = await conversation.say('Hello');
  expect(status).toBe(201);
  const stored = (await conversation.messages()).at(-1);
  expect(stored).toEqual(body);
  return {
    message: body as Message,
    asked: (await conversation.script.requests()).length,
    conversation,
  };
}

it('a busy model is asked again at the time that it names', async () => {
  const busy = { status: 429, headers: { 'retry-after': '1' }, body: '{}' };
  const begun = performance.now();
  const { message, asked } = await answerOf(busy, { text: TEXT });
  expect(performance.now() - begun).toBeGreaterThan(1_000);
  expect([message.status, message.content, asked]).toEqual(['COMPLETE', TEXT, 2]);
});

it('a model that is busy for longer than an answer may take fails the answer', async () => {
  const busy = { status: 429, headers: { 'retry-after': '600' }, body: '{}' };
  const { message, asked } = await answerOf(busy);
  expect([message.status, asked]).toEqual(['FAILED', 1]);
  expect(message.content).toBe('The model has too many requests at the moment.');
});

it('a model that answers with errors is asked four times, then the answer has failed', async () => {
  const { message, asked } = await answerOf(...Array(5).fill({ status: 500, body: 'oops' }));
  expect([message.status, asked]).toEqual(['FAILED', 4]);
  expect(message.content).toBe('The model answers with an error at the moment.');
});

it('a refusal of the model shows nothing of its words', async () => {
  const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${API_KEY}` } });
  const { message, asked, conversation } = await answerOf({ status: 401, body });
  expect([message.status, message.content, asked]).toEqual([
    'FAILED',
    'The model refused the request.',
    1,
  ]);
  const [request] = await conversation.script.requests();
  expect(request?.headers.authorization).toBe(`Bearer ${API_KEY}`);
});

it.each(['end', 'cut'] as const)(
  'a text that breaks off (%s) stays as far as it came',
  async (by) => {
    const { message, asked } = await answerOf({
      text: TEXT,
      pauseMs: 5,
      broken: { in: 'text', by },
    });
    expect([message.status, asked]).toEqual(['FAILED', 1]);
    const [half = '', why] = message.content.split('\n\n');
    expect(TEXT.startsWith(half)).toBe(true);
    expect(half.length).toBeGreaterThan(0);
    expect(why).toBe('The answer of the model broke off.');
  },
);

it.each(['end', 'cut'] as const)(
  'a stream that breaks off (%s) in the middle of an argument calls nothing',
  async (by) => {
    const broken = { in: 'arguments', by } as const;
    const { message, conversation } = await answerOf({
      text: TEXT,
      pauseMs: 5,
      calls: [CREATE],
      broken,
    });
    expect([message.status, message.toolCalls]).toEqual(['FAILED', []]);
    expect(message.content).toBe(`${TEXT}\n\nThe answer of the model broke off.`);
    const { body } = await owner.call<object[]>('GET', workspace.issues);
    expect(body).toEqual([]);
    const next = await conversation.say('Go on');
    expect(next.body.status).toBe('COMPLETE');
  },
);

it.each([
  ['that is no JSON', 'data: {"choices": [\n\n'],
  ['without an end', 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'],
  ['of no bytes', ''],
])('a stream %s fails the answer', async (_what, raw) => {
  const { message } = await answerOf({ raw });
  expect(message.status).toBe('FAILED');
  expect(message.content).toContain('The answer of the model broke off.');
});

it('a line without an end is given up', async () => {
  const raw = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(2_000_000)}`;
  const { message } = await answerOf({ raw });
  expect([message.status, message.content]).toEqual([
    'FAILED',
    'The answer of the model was too large.',
  ]);
});

it('arguments of 10 MB are given up before they are read as JSON', async () => {
  const delta = (call: object) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] })}\n\n`;
  const begin = {
    id: 'c',
    type: 'function',
    function: { name: 'issues_list', arguments: '{"a":' },
  };
  const part = delta({ function: { arguments: '['.repeat(1_000_000) } });
  const { message } = await answerOf({ raw: delta(begin) + part.repeat(10) });
  expect(message).toMatchObject({ status: 'FAILED', toolCalls: [] });
  expect(message.content).toBe('The answer of the model was too large.');
});

it('an answer of 10 MB is cut, and says so', async () => {
  const { message } = await answerOf({ text: 'x'.repeat(1_000), repeat: 10_000 });
  expect(message.status).toBe('LIMIT');
  expect(message.content.slice(0, 65_536)).toBe('x'.repeat(65_536));
  expect(message.content.slice(65_536)).toMatch(
    /^\n\nThe answer ends here, because it is too long/,
  );
});

it('an answer that the model itself cuts is at a limit, and calls nothing', async () => {
  const { message } = await answerOf({ text: TEXT, calls: [CREATE], finish: 'length' });
  expect([message.status, message.toolCalls]).toEqual(['LIMIT', []]);
});

it('the key of the model follows no redirection', async () => {
  const location = `${model.url}/elsewhere`;
  const elsewhere = { status: 302, headers: { location }, body: '' };
  const { message, conversation, asked } = await answerOf(elsewhere, { text: TEXT });
  expect([message.status, message.content, asked]).toEqual([
    'FAILED',
    'The model refused the request.',
    1,
  ]);
  const paths = (await conversation.script.requests()).map(({ path }) => path);
  expect(paths).toEqual(['/v1/chat/completions']);
});

it('a model that says nothing has failed', async () => {
  const { message } = await answerOf({ text: '' });
  expect([message.status, message.content]).toEqual(['FAILED', 'The model has answered nothing.']);
});

it('counts no tokens where the model tells none', async () => {
  const { message } = await answerOf({ text: TEXT, usage: null });
  expect(message.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
});

it('a conversation that is too long for the model is shortened once more', async () => {
  const error = { message: 'maximum context length', code: 'context_length_exceeded' };
  const tooLong = { status: 400, body: JSON.stringify({ error }) };
  const { message, asked } = await answerOf(tooLong, { text: TEXT });
  expect([message.status, message.content, asked]).toEqual(['COMPLETE', TEXT, 2]);
  const failed = await answerOf(tooLong, tooLong, { text: TEXT });
  expect([failed.message.status, failed.message.content, failed.asked]).toEqual([
    'FAILED',
    'The conversation is too long for the model.',
    2,
  ]);
});
