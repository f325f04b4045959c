import { e2e, made } from '../../../fixtures/e2e.ts';
import { AnswerEvents } from '../../../helpers/answer-events.ts';
import { beginConversation, type Message } from '../../../helpers/conversations.ts';
import { ModelServer, startModelServer } from '../../../helpers/model-server/model-server.ts';
import { createWorkspace, type Person } from '../../../helpers/people.ts';
import { waitFor } from '../../../helpers/wait.ts';

const model = made(startModelServer, new ModelServer(''));
const { server, database, owner, workspace } = e2e({ database: true, env: () => model.env });

const CREATE = { tool: 'issues_create', arguments: { title: 'x', description: '' } };
const messages = () => database.collection('messages');
const countOf = (conversationId: number) => messages().countDocuments({ conversationId });

/** A conversation in which a call waits. */
async function untilWaiting(person: Person, workspaceId: number) {
  const answers = [{ calls: [CREATE] }, { text: 'Well.' }];
  const conversation = await beginConversation(person, workspaceId, model, ...answers);
  const { body: message } = await conversation.say('Create an issue');
  expect(message.status).toBe('WAITING_FOR_APPROVAL');
  return { conversation, message };
}

it('a call that nobody approves within 24 hours is expired, and stays so', async () => {
  const { conversation, message } = await untilWaiting(owner, workspace.id);
  const stored = await messages().findOne({ _id: message.id as never });
  const waits = Number(stored?.waitsUntil) - Number(stored?.createdAt);
  expect(Math.abs(waits - 24 * 60 * 60 * 1_000)).toBeLessThan(10_000);
  const past = { $set: { waitsUntil: new Date(Date.now() - 1_000) } };
  await messages().updateOne({ _id: message.id as never }, past);
  const decisions = [{ toolCallId: message.toolCalls[0]?.id ?? 0, approve: true }];
  const late = await conversation.approve(message.id, decisions);
  expect([late.status, late.body.code]).toEqual([409, 'TOOL_CALL_EXPIRED']);
  const shown = (await conversation.messages()).at(-1);
  expect(shown).toMatchObject({ status: 'LIMIT', toolCalls: [{ status: 'EXPIRED' }] });
  const swept = await waitFor('the sweep', async () => {
    const last = (await conversation.messages()).at(-1);
    return last?.content.includes('Nobody approved') ? last : null;
  });
  expect(swept).toMatchObject({ status: 'LIMIT', toolCalls: [{ status: 'EXPIRED' }] });
  const again = await conversation.approve(message.id, decisions);
  expect([again.status, again.body.code]).toEqual([409, 'TOOL_CALL_EXPIRED']);
  expect((await conversation.say('Go on')).body.content).toBe('Well.');
  const { body: issues } = await owner.call<object[]>('GET', `/workspaces/${workspace.id}/issues`);
  expect(issues).toEqual([]);
});

it('a conversation has 1,000 messages at most', async () => {
  const conversation = await beginConversation(owner, workspace.id, model, { text: 'The last.' });
  const setCount = (messageCount: number) =>
    database
      .collection('conversations')
      .updateOne({ _id: conversation.id as never }, { $set: { messageCount } });
  await setCount(998);
  expect((await conversation.say('Hello')).status).toBe(201);
  const full = await conversation.say('One more');
  expect([full.status, full.body.code]).toEqual([409, 'CONVERSATION_FULL']);
});

it('a deleted conversation takes its messages along', async () => {
  const { conversation } = await untilWaiting(owner, workspace.id);
  expect(await countOf(conversation.id)).toBe(2);
  await owner.call('DELETE', `/agent/conversations/${conversation.id}`);
  await waitFor('the removal', async () => (await countOf(conversation.id)) === 0);
});

it('a conversation that is deleted while it is answered leaves nothing', async () => {
  const gate = 'deleted';
  const conversation = await beginConversation(owner, workspace.id, model, {
    text: 'Too late',
    gate,
  });
  const path = `/agent/conversations/${conversation.id}`;
  const body = { content: `Hello ${conversation.script.mark}` };
  const answer = new AnswerEvents(server.url, `${path}/messages`, owner, body);
  await answer.until('text');
  expect((await owner.call('DELETE', path)).status).toBe(204);
  await waitFor('the removal', async () => (await countOf(conversation.id)) === 0);
  await model.openGate(gate);
  await answer.ended();
  expect(answer.events.at(-1)?.event).toBe('error');
  expect(await countOf(conversation.id)).toBe(0);
});

it('a deleted workspace, and a deleted person, take their conversations along', async () => {
  const home = await createWorkspace(owner, 'Gone soon');
  const member = await workspace.member('MEMBER');
  const ofWorkspace = (await untilWaiting(owner, home)).conversation;
  const ofPerson = (await untilWaiting(member, workspace.id)).conversation;
  await owner.call('DELETE', `/workspaces/${home}`);
  await member.call('DELETE', `/users/${member.id}`);
  const kept = () =>
    database
      .collection('conversations')
      .countDocuments({ _id: { $in: [ofWorkspace.id, ofPerson.id] as never[] } });
  await waitFor('the erasure', async () => {
    const left = (await countOf(ofWorkspace.id)) + (await countOf(ofPerson.id)) + (await kept());
    return left === 0;
  });
});

it('four answers of a person are under way at once, and the fifth has its turn later', async () => {
  const gate = 'five';
  const conversations = await Promise.all(
    Array.from({ length: 5 }, () =>
      beginConversation(owner, workspace.id, model, { text: 'Slowly', gate }),
    ),
  );
  const asked = async () => {
    const all = await Promise.all(conversations.map(({ script }) => script.requests()));
    return all.filter(({ length }) => length > 0).length;
  };
  const answers = conversations.map((conversation) => conversation.say('Hello'));
  await waitFor('four answers', async () => (await asked()) === 4);
  const other = await workspace.member('MEMBER');
  const quick = await beginConversation(other, workspace.id, model, { text: 'At once' });
  expect((await quick.say('Hello')).body.content).toBe('At once');
  expect(await asked()).toBe(4);
  await model.openGate(gate);
  const ended = await Promise.all(answers);
  expect(ended.map(({ body }) => body.content)).toEqual(Array(5).fill('Slowly'));
});

it('an answer that a stop interrupts is stored as far as it came, and its reader is told', async () => {
  const conversation = await beginConversation(owner, workspace.id, model, {
    text: 'As far as this',
    gate: 'never',
  });
  const path = `/agent/conversations/${conversation.id}/messages`;
  const body = { content: `Hello ${conversation.script.mark}` };
  const answer = new AnswerEvents(server.url, path, owner, body);
  await answer.until('text');
  expect(await server.stop()).toBe(0); // not cut off at the end of its time
  await answer.ended();
  const [message] = answer.ofKind<Message>('message');
  expect(message).toMatchObject({ status: 'FAILED' });
  expect(message?.content).toMatch(/^As far as this\n\n.*the service is being restarted/);
  const stored = await messages().findOne({ _id: message?.id as never });
  expect([stored?.status, stored?.content]).toEqual(['FAILED', message?.content]);
});
