import { e2e } from '../../fixtures/e2e.ts';
import type { Message, ScriptedConversation } from '../../helpers/conversations.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import type { ModelAnswer } from '../../helpers/model-server/model-answer.ts';
import { waitFor } from '../../helpers/wait.ts';

const { owner, workspace, converse } = e2e();

const CREATE = { tool: 'issues_create', arguments: { title: 'Oil the gears', description: '' } };

const titles = async (): Promise<string[]> => {
  const { body } = await owner.call<{ title: string }[]>('GET', workspace.issues);
  return body.map(({ title }) => title);
};

/** A conversation whose answer waits for the approval of a call. */
async function untilWaiting(
  title: string,
  ...further: ModelAnswer[]
): Promise<{ conversation: ScriptedConversation; message: Message; toolCallId: number }> {
  const call = { ...CREATE, arguments: { title, description: '' } };
  const asking = { text: 'May I? ', calls: [call] };
  const answers = [asking, ...further];
  const conversation = await converse(...answers);
  const { body: message } = await conversation.say('Create an issue');
  expect(message.status).toBe('WAITING_FOR_APPROVAL');
  return { conversation, message, toolCallId: message.toolCalls[0]?.id ?? 0 };
}

it('a call that changes something waits for the person, and runs as it was shown', async () => {
  const { conversation, message, toolCallId } = await untilWaiting('Oil the gears', {
    text: 'It is created.',
  });
  expect(message.toolCalls[0]).toMatchObject({
    operation: 'issues.create',
    arguments: { workspaceId: workspace.id, title: 'Oil the gears', description: '' },
    status: 'WAITING',
    result: null,
    decidedBy: null,
  });
  expect(await titles()).not.toContain('Oil the gears');
  const decisions = [{ toolCallId, approve: true }];
  const { status, body } = await conversation.approve(message.id, decisions);
  expect([status, body.id, body.status]).toEqual([201, message.id, 'COMPLETE']);
  expect(body.content).toBe('May I? It is created.');
  expect(body.toolCalls[0]).toMatchObject({
    status: 'DONE',
    result: { title: 'Oil the gears' },
    decidedBy: { type: 'person', id: owner.id },
    decidedAt: expect.any(String),
  });
  expect(await titles()).toContain('Oil the gears');
  const again = await conversation.approve(message.id, decisions);
  expect([again.status, again.body.code]).toEqual([409, 'TOOL_CALL_DECIDED']);
  const path = `${workspace.path}/audit-log`;
  const entry = await waitFor('the audit entry', async () => {
    const { body: log } = await owner.call<{ operation: string }[]>('GET', path);
    return log.find(({ operation }) => operation === 'issues.create');
  });
  expect(entry).toMatchObject({ via: 'assistant', actor: { type: 'person', id: owner.id } });
});

it('a refused call changes nothing, and the model is told', async () => {
  const { conversation, message, toolCallId } = await untilWaiting('Never', {
    text: 'As you like.',
  });
  const { body } = await conversation.approve(message.id, [{ toolCallId, approve: false }]);
  expect([body.status, body.toolCalls[0]?.status]).toEqual(['COMPLETE', 'REFUSED']);
  expect(await titles()).not.toContain('Never');
  const [, second] = await conversation.script.requests();
  const told = second?.body.messages.find(({ role }) => role === 'tool')?.content;
  expect(JSON.parse(String(told))).toEqual({ refused: expect.stringContaining('not approved') });
});

it('a further message refuses what waits', async () => {
  const { conversation, message, toolCallId } = await untilWaiting('Too late', { text: 'Well.' });
  const { body } = await conversation.say('Let us talk about something else');
  expect([body.status, body.content]).toEqual(['COMPLETE', 'Well.']);
  const [, former] = await conversation.messages();
  expect(former).toMatchObject({
    id: message.id,
    status: 'COMPLETE',
    toolCalls: [{ status: 'REFUSED', decidedBy: { id: owner.id } }],
  });
  const late = await conversation.approve(message.id, [{ toolCallId, approve: true }]);
  expect([late.status, late.body.code]).toEqual([409, 'TOOL_CALL_DECIDED']);
  expect(await titles()).not.toContain('Too late');
});

it('two approvals at once carry the call out once', async () => {
  const { conversation, message, toolCallId } = await untilWaiting('Once', { text: 'Done.' });
  const decisions = [{ toolCallId, approve: true }];
  const answers = await Promise.all(
    [1, 2, 3].map(() => conversation.approve(message.id, decisions)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect((await titles()).filter((title) => title === 'Once')).toHaveLength(1);
});

it('calls are decided one by one, and the answer goes on after the last', async () => {
  const calls = ['One', 'Two'].map((title) => ({
    ...CREATE,
    arguments: { title, description: '' },
  }));
  const answers = [{ calls }, { text: 'One of two.' }];
  const conversation = await converse(...answers);
  const { body: message } = await conversation.say('Create two issues');
  const [one = 0, two = 0] = message.toolCalls.map(({ id }) => id);
  const first = await conversation.approve(message.id, [{ toolCallId: one, approve: true }]);
  expect(first.body.status).toBe('WAITING_FOR_APPROVAL');
  expect(first.body.toolCalls.map(({ status }) => status)).toEqual(['DONE', 'WAITING']);
  const second = await conversation.approve(message.id, [{ toolCallId: two, approve: false }]);
  expect([second.body.status, second.body.content]).toEqual(['COMPLETE', 'One of two.']);
  expect(second.body.toolCalls.map(({ status }) => status)).toEqual(['DONE', 'REFUSED']);
});

describe('an approval is refused', () => {
  it('by anybody but the creator, as if the conversation did not exist', async () => {
    const { conversation, message, toolCallId } = await untilWaiting('Mine');
    const admin = await workspace.member('ADMIN');
    const decisions = [{ toolCallId, approve: true }];
    const { status, body } = await conversation.approve(message.id, decisions, admin);
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    expect(await titles()).not.toContain('Mine');
  });

  it('of a call that the message does not have, and of one that is named twice', async () => {
    const { conversation, message, toolCallId } = await untilWaiting('Mistaken');
    const other = await untilWaiting('Other');
    for (const decisions of [
      [{ toolCallId: other.toolCallId, approve: true }],
      [
        { toolCallId, approve: true },
        { toolCallId, approve: false },
      ],
    ]) {
      const { status, body } = await conversation.approve(message.id, decisions);
      expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
      expect(body.errors?.[0]?.path).toMatch(/^decisions\.\d\.toolCallId$/);
    }
    const unknown = await conversation.approve(other.message.id, [{ toolCallId, approve: true }]);
    expect(unknown.status).toBe(404);
    expect(await titles()).not.toContain('Mistaken');
  });

  it('with arguments of its own: what was shown is what runs', async () => {
    const { message, toolCallId, conversation } = await untilWaiting('Shown');
    const path = `/agent/conversations/${conversation.id}/messages/${message.id}/approve`;
    const changed = { toolCallId, approve: true, arguments: { title: 'Changed' } };
    const answer = await owner.call<ProblemBody>('POST', path, { body: { decisions: [changed] } });
    expect([answer.status, answer.body.errors?.[0]?.code]).toEqual([400, 'unknown_field']);
    const { body } = await conversation.approve(message.id, [{ toolCallId, approve: true }]);
    expect(body.toolCalls[0]?.arguments).toEqual(message.toolCalls[0]?.arguments);
    expect(await titles()).toContain('Shown');
    expect(await titles()).not.toContain('Changed');
  });
});
