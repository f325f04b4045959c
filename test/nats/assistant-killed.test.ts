import { e2e, made } from '../fixtures/e2e.ts';
import { AnswerEvents } from '../helpers/answer-events.ts';
import { beginConversation } from '../helpers/conversations.ts';
import { ModelServer, startModelServer } from '../helpers/model-server/model-server.ts';
import { servicesExcept } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

const ASSISTANT = 'assistant';

const model = made(startModelServer, new ModelServer(''));
const {
  server: system,
  owner,
  workspace,
} = e2e({
  processes: ['api', servicesExcept('api', ASSISTANT), ASSISTANT],
  env: () => model.env,
});

test('another process ends the answer of one that was killed, and carries an approval out', async () => {
  const create = { tool: 'issues_create', arguments: { title: 'Approved', description: '' } };
  const waiting = await beginConversation(
    owner,
    workspace.id,
    model,
    { calls: [create] },
    { text: 'It is created.' },
  );
  const { body: message } = await waiting.say('Create an issue');
  expect(message.status).toBe('WAITING_FOR_APPROVAL');
  const answered = await beginConversation(
    owner,
    workspace.id,
    model,
    { text: 'I look. ', calls: [{ tool: 'issues_list', arguments: {} }] },
    { text: 'Never to be', gate: 'never' },
    { text: 'Here I am again.' },
  );
  const path = `/agent/conversations/${answered.id}/messages`;
  const body = { content: `Hello ${answered.script.mark}` };
  const stream = new AnswerEvents(system.url, path, owner, body);
  await answered.script.untilAsked(2);
  await system.remove(ASSISTANT, 'SIGKILL');
  await system.add(ASSISTANT);
  await stream.ended();
  expect(stream.events.at(-1)?.event).toBe('error');
  const broken = await waitFor('the end of the answer', async () =>
    (await answered.messages()).find(({ content }) => content.includes('broke off')),
  );
  expect(broken).toMatchObject({ status: 'FAILED', toolCalls: [{ status: 'DONE' }] });
  expect(broken.content).toMatch(/^I look\. /);
  const next = await waitFor('a free conversation', async () => {
    const answer = await answered.say('And now?');
    return answer.status === 201 ? answer : null;
  });
  expect(next.body.content).toBe('Here I am again.');
  const decisions = [{ toolCallId: message.toolCalls[0]?.id ?? 0, approve: true }];
  const approved = await waiting.approve(message.id, decisions);
  expect([approved.body.status, approved.body.toolCalls[0]?.status]).toEqual(['COMPLETE', 'DONE']);
});
