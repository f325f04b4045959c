import { e2e } from '../../fixtures/e2e.ts';
import { AnswerEvents } from '../../helpers/answer-events.ts';
import type { Message, ToolCall } from '../../helpers/conversations.ts';
import { registerVerified } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, owner, workspace, model, converse } = e2e();

type Conversation = Awaited<ReturnType<typeof converse>>;
const say = ({ id, script }: Conversation, headers = {}): AnswerEvents => {
  const body = { content: `Hello ${script.mark}` };
  return new AnswerEvents(server.url, `/agent/conversations/${id}/messages`, owner, body, headers);
};
const textOf = (answer: AnswerEvents): string =>
  answer
    .ofKind<{ delta: string }>('text')
    .map(({ delta }) => delta)
    .join('');

const TEXT = 'A sentence that comes in several pieces.';

it('an answer comes as it is made: text, tool calls, and the whole message', async () => {
  const conversation = await converse(
    { text: 'I look. ', calls: [{ tool: 'issues_list', arguments: {} }] },
    { text: TEXT },
  );
  const answer = await say(conversation).ended();
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
  const [message] = answer.ofKind<Message>('message');
  expect(textOf(answer)).toBe(`I look. ${TEXT}`);
  expect(answer.ofKind('text').length).toBeGreaterThan(3);
  expect(answer.ofKind<ToolCall>('tool')).toEqual(message?.toolCalls);
  expect(answer.events.at(-1)?.event).toBe('message');
  expect((await conversation.messages()).at(-1)).toEqual(message);
});

it('text is sent before the model has ended', async () => {
  const gate = `gate-${workspace.id}-${Date.now()}`;
  const conversation = await converse({ text: TEXT, gate });
  const answer = say(conversation);
  await waitFor('the text', () => textOf(answer) === TEXT);
  expect(answer.ofKind('message')).toEqual([]);
  expect((await conversation.messages()).map(({ role }) => role)).toEqual(['user']);
  const second = await conversation.say('And another');
  expect([second.status, second.body.code]).toEqual([409, 'CONVERSATION_BUSY']);
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
  await model.openGate(gate);
  await answer.ended();
  expect(answer.ofKind<Message>('message')[0]?.status).toBe('COMPLETE');
});

it('an approval streams what it carries out, and how the answer goes on', async () => {
  const create = { tool: 'issues_create', arguments: { title: 'Streamed', description: '' } };
  const answers = [{ calls: [create] }, { text: TEXT }];
  const conversation = await converse(...answers);
  const asked = await say(conversation).ended();
  const [message] = asked.ofKind<Message>('message');
  expect(asked.ofKind<ToolCall>('tool')).toMatchObject([{ status: 'WAITING' }]);
  const path = `/agent/conversations/${conversation.id}/messages/${message?.id}/approve`;
  const decisions = [{ toolCallId: message?.toolCalls[0]?.id, approve: true }];
  const answer = await new AnswerEvents(server.url, path, owner, { decisions }).ended();
  expect(answer.ofKind<ToolCall>('tool')).toMatchObject([
    { status: 'DONE', result: { title: 'Streamed' } },
  ]);
  expect(textOf(answer)).toBe(TEXT);
  expect(answer.ofKind<Message>('message')).toMatchObject([{ status: 'COMPLETE', content: TEXT }]);
});

it('a failure of the model is told in the text and in the message', async () => {
  const conversation = await converse({
    text: TEXT,
    pauseMs: 5,
    broken: { in: 'text', by: 'cut' },
  });
  const answer = await say(conversation).ended();
  const [message] = answer.ofKind<Message>('message');
  expect(message?.status).toBe('FAILED');
  expect(textOf(answer)).toBe(message?.content);
});

it('what refuses a message is a problem, not a stream', async () => {
  const conversation = await converse();
  const path = `/agent/conversations/${conversation.id}/messages`;
  const answer = await new AnswerEvents(server.url, path, owner, { content: '' }).ended();
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 'INVALID_REQUEST']);
  const foreign = await registerVerified(server.url, 'Foreign');
  const hidden = await new AnswerEvents(server.url, path, foreign, { content: 'x' }).ended();
  expect([hidden.status, JSON.parse(hidden.text).code]).toEqual([404, 'NOT_FOUND']);
});

it('an answer whose reader has gone is made to its end', async () => {
  const gate = `left-${workspace.id}-${Date.now()}`;
  const conversation = await converse({ text: TEXT, gate });
  const answer = say(conversation);
  await answer.until('text');
  answer.close();
  await model.openGate(gate);
  const message = await waitFor('the answer', async () =>
    (await conversation.messages()).find(({ role }) => role === 'assistant'),
  );
  expect([message.status, message.content]).toEqual(['COMPLETE', TEXT]);
});

it('a repeat with the same Idempotency-Key is answered with the same message, in either form', async () => {
  const conversation = await converse({ text: TEXT });
  const key = { 'idempotency-key': `key-${conversation.id}` };
  const first = await say(conversation, key).ended();
  const [message] = first.ofKind<Message>('message');
  const again = await say(conversation, key).ended();
  expect(again.ofKind<Message>('message')).toEqual([message]);
  const path = `/agent/conversations/${conversation.id}/messages`;
  const body = { content: `Hello ${conversation.script.mark}` };
  const whole = await owner.call<Message>('POST', path, { body, headers: key });
  expect([whole.status, whole.body]).toEqual([201, message]);
  expect(await conversation.script.requests()).toHaveLength(1);
});

it('a repeat of an approval with the same Idempotency-Key is answered with the same message', async () => {
  const create = { tool: 'issues_create', arguments: { title: 'Once', description: '' } };
  const answers = [{ calls: [create] }, { text: TEXT }];
  const conversation = await converse(...answers);
  const { body: waiting } = await conversation.say('Create an issue');
  const path = `/agent/conversations/${conversation.id}/messages/${waiting.id}/approve`;
  const body = { decisions: [{ toolCallId: waiting.toolCalls[0]?.id, approve: true }] };
  const headers = { 'idempotency-key': `approval-${conversation.id}` };
  const first = await new AnswerEvents(server.url, path, owner, body, headers).ended();
  const [message] = first.ofKind<Message>('message');
  expect(message).toMatchObject({ status: 'COMPLETE', content: TEXT });
  const again = await new AnswerEvents(server.url, path, owner, body, headers).ended();
  expect(again.ofKind<Message>('message')).toEqual([message]);
  const whole = await owner.call<Message>('POST', path, { body, headers });
  expect([whole.status, whole.body]).toEqual([201, message]);
  const other = { ...headers, 'idempotency-key': `other-${conversation.id}` };
  expect((await owner.call('POST', path, { body, headers: other })).status).toBe(409);
});

it('takes no attachment of another conversation', async () => {
  const conversation = await converse();
  const path = `/agent/conversations/${conversation.id}/messages`;
  const body = { content: 'Look', attachmentIds: [9_007_199_254_740_000] };
  const { status, body: problem } = await owner.call<{ errors: { path: string }[] }>('POST', path, {
    body,
  });
  expect([status, problem.errors[0]?.path]).toEqual([400, 'attachmentIds.0']);
});
