import { e2e, made } from '../../../fixtures/e2e.ts';
import { beginConversation, type Message } from '../../../helpers/conversations.ts';
import { ModelServer, startModelServer } from '../../../helpers/model-server/model-server.ts';
import { waitFor } from '../../../helpers/wait.ts';

/*
 * The process of an answer has ended: the tests write what it leaves in the database, and the service finds it.
 */

const model = made(startModelServer, new ModelServer(''));
const { database, owner, workspace } = e2e({ database: true, env: () => model.env });

const storedCalls = async ({ id }: Message): Promise<{ status: string; result: string }[]> =>
  (await database.collection('messages').findOne({ _id: id as never }))?.toolCalls;

/** Starts a flow that waits, so that the call takes until the run is cancelled. */
async function untilWaiting(person = owner) {
  const flowId = await workspace.flow('do:\n  - rest: { wait: PT1H }\n');
  const start = { tool: 'runs_start', arguments: { flowId, wait: 30_000, input: {} } };
  const answers = [{ calls: [start, start] }, { text: 'Never said.' }];
  const conversation = await beginConversation(person, workspace.id, model, ...answers);
  const { body: message } = await conversation.say('Run the flow twice');
  expect(message.status).toBe('WAITING_FOR_APPROVAL');
  const runs = async () =>
    (await owner.call<{ id: number; status: string }[]>('GET', `/flows/${flowId}/runs`)).body;
  return { conversation, message, runs };
}

/** Leaves the calls in these states, none with a reserved id, and a lease that has run out. */
async function leave({ id, conversationId }: Message, ...statuses: string[]): Promise<void> {
  const conversations = database.collection('conversations');
  const { userId } = (await conversations.findOne({ _id: conversationId as never })) ?? {
    userId: 0,
  };
  const calls = statuses.flatMap((status, at) => [
    [`toolCalls.${at}.status`, status],
    [`toolCalls.${at}.decidedAt`, new Date()],
  ]);
  const approvedBy = { kind: 'person', userId, name: 'Owner', sessionId: 'x' };
  const message = { ...Object.fromEntries(calls), approvedBy, status: 'ANSWERING', lease: 'first' };
  const gone = { $set: message, $unset: { waitsUntil: '' } };
  await database.collection('messages').updateOne({ _id: id as never }, gone);
  const answering = { messageId: id, lease: 'second', until: new Date(Date.now() - 1_000) };
  await conversations.updateOne({ _id: conversationId as never }, { $set: { answering } });
}

it('a call that is carried out for a process that ended is stored as begun before', async () => {
  const { conversation, message, runs } = await untilWaiting();
  await leave(message, 'RUNNING', 'APPROVED');
  const run = await waitFor('the run', async () => (await runs())[0]);
  expect((await storedCalls(message)).map(({ status }) => status)).toEqual(['FAILED', 'RUNNING']);
  await owner.call('POST', `/flows/runs/${run.id}/cancel`);
  const ended = await waitFor('the end of the answer', async () => {
    const last = (await conversation.messages()).at(-1);
    return last?.content.includes('broke off') ? last : null;
  });
  expect(ended).toMatchObject({
    status: 'FAILED',
    toolCalls: [
      { status: 'FAILED', result: { code: 'OUTCOME_UNKNOWN' } },
      { status: 'DONE', result: { id: run.id } },
    ],
  });
  expect(await runs()).toHaveLength(1);
});

it('an answer whose calls take long holds up no other', async () => {
  const left = [await untilWaiting(), await untilWaiting()];
  for (const { message } of left) await leave(message, 'APPROVED', 'FAILED');
  const runs = await Promise.all(
    left.map((each) => waitFor('both runs', async () => (await each.runs())[0])),
  );
  for (const { message } of left) expect((await storedCalls(message))[0]?.status).toBe('RUNNING');
  for (const { id } of runs) await owner.call('POST', `/flows/runs/${id}/cancel`);
});

it('a call is carried out with the rights that the person has then', async () => {
  const member = await workspace.member('MEMBER');
  const { message, runs } = await untilWaiting(member);
  const query = { userEmail: member.email };
  const removal = await owner.call('DELETE', `/workspaces/${workspace.id}/users`, { query });
  expect(removal.status).toBe(204);
  await leave(message, 'APPROVED', 'APPROVED');
  const calls = await waitFor('the end of the calls', async () => {
    const stored = await storedCalls(message);
    return stored.every(({ status }) => status === 'FAILED') ? stored : null;
  });
  expect(calls.map(({ result }) => JSON.parse(result).code)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  expect(await runs()).toEqual([]);
});
