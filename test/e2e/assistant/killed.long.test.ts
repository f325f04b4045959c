import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  beginConversation,
  type Message,
  type ScriptedConversation,
} from '../../helpers/conversations.ts';
import { type ModelServer, startModelServer } from '../../helpers/model-server/model-server.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { createFlow } from '../../helpers/runs.ts';
import { startServer, stopServers, type TestServer } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

let server: TestServer;
let model: ModelServer;
let owner: Person;
let workspaceId: number;
let target: Server;
let held = 0;
beforeAll(async () => {
  target = createServer(() => held++).listen(0, '127.0.0.1'); // answers nothing
  await once(target, 'listening');
  model = await startModelServer();
  // The address of each start is another, and tokens name the address.
  const env = { PUBLIC_URL: 'http://127.0.0.1', OUTBOUND_ALLOW: '127.0.0.0/8' };
  server = await startServer({ env: { ...env, ...model.env } });
  owner = await registerVerified(server.url, 'Owner');
  workspaceId = await createWorkspace(owner);
});
afterAll(async () => {
  await stopServers();
  target.closeAllConnections();
  target.close();
});

/** Kills the service and starts it again. The person and the conversation are those of the new address. */
async function killAndRestart(conversation: ScriptedConversation) {
  await server.crash();
  const answered = () =>
    waitFor('the end of the answer', async () => {
      const message = (await conversation.messages()).at(-1);
      const isOpen = message?.toolCalls.some(({ status }) => status === 'WAITING');
      return message?.role === 'assistant' && !isOpen && message.content.includes('broke off')
        ? message
        : null;
    });
  return { answered };
}

/** Sends an approval that nobody hears the answer of. */
function approveUnheard(conversation: ScriptedConversation, { id, toolCalls }: Message): void {
  const decisions = toolCalls.map(({ id: toolCallId }) => ({ toolCallId, approve: true }));
  conversation.approve(id, decisions).catch(() => undefined);
}

it('an answer whose process is killed shows what there was, and the conversation goes on', async () => {
  const conversation = await beginConversation(
    owner,
    workspaceId,
    model,
    { text: 'I look first. ', calls: [{ tool: 'issues_list', arguments: {} }] },
    { text: 'This is never', gate: 'never' },
    { text: 'Now I answer.' },
  );
  conversation.say('What is open?').catch(() => undefined);
  await conversation.script.untilAsked(2);
  const { answered } = await killAndRestart(conversation);
  const message = await answered();
  expect(message).toMatchObject({
    status: 'FAILED',
    toolCalls: [{ operation: 'issues.list', status: 'DONE' }],
  });
  expect(message.content).toMatch(/^I look first\. /);
  const next = await waitFor('a free conversation', async () => {
    const answer = await conversation.say('And now?');
    return answer.status === 409 ? null : answer;
  });
  expect([next.body.status, next.body.content]).toEqual(['COMPLETE', 'Now I answer.']);
});

it('an approved creation is carried out once, although the process was killed before its result', async () => {
  const flowId = await createFlow(owner, workspaceId, 'do:\n  - rest: { wait: PT1H }\n');
  const start = { tool: 'runs_start', arguments: { flowId, wait: 30_000, input: {} } };
  const conversation = await beginConversation(owner, workspaceId, model, { calls: [start] });
  const { body: message } = await conversation.say('Run the flow');
  expect(message.status).toBe('WAITING_FOR_APPROVAL');
  approveUnheard(conversation, message);
  const runs = async () =>
    (await owner.call<{ id: number }[]>('GET', `/flows/${flowId}/runs`)).body;
  const [run] = await waitFor('the run', async () => {
    const found = await runs();
    return found.length ? found : null;
  });
  const { answered } = await killAndRestart(conversation);
  const [call] = (await answered()).toolCalls;
  expect(call).toMatchObject({ status: 'DONE', result: { id: run?.id } });
  expect((await runs()).map(({ id }) => id)).toEqual([run?.id]);
});

it('an approved call that cannot be repeated has an unknown outcome, and says so', async () => {
  const { port } = target.address() as AddressInfo;
  const credential = { workspaceId, name: 'x', authType: 'NONE' };
  const { body: made } = await owner.call<{ id: number }>('POST', '/auth-credentials', {
    body: credential,
  });
  const description = {
    workspaceId,
    name: 'x',
    description: '',
    url: `http://127.0.0.1:${port}/`,
    methodType: 'POST',
    authCredentialId: made.id,
  };
  const { body } = await owner.call<{ id: number }>('POST', '/api-descriptions', {
    body: description,
  });
  const test = { tool: 'connections_testApiDescription', arguments: { id: body.id } };
  const conversation = await beginConversation(owner, workspaceId, model, { calls: [test] });
  const { body: message } = await conversation.say('Try the call');
  const before = held;
  approveUnheard(conversation, message);
  await waitFor('the request', () => held > before);
  const { answered } = await killAndRestart(conversation);
  const [call] = (await answered()).toolCalls;
  expect(call).toMatchObject({ status: 'FAILED', result: { code: 'OUTCOME_UNKNOWN' } });
  expect(held).toBe(before + 1);
  const again = await conversation.approve(message.id, [
    { toolCallId: call?.id ?? 0, approve: true },
  ]);
  expect([again.status, again.body.code]).toEqual([409, 'TOOL_CALL_DECIDED']);
});

it('what waits for an approval still waits after a restart', async () => {
  const create = { tool: 'issues_create', arguments: { title: 'Kept', description: '' } };
  const answers = [{ calls: [create] }, { text: 'It is created.' }];
  const conversation = await beginConversation(owner, workspaceId, model, ...answers);
  const { body: message } = await conversation.say('Create it');
  await server.crash();
  const [, shown] = await conversation.messages();
  expect(shown).toEqual(message);
  const decisions = [{ toolCallId: message.toolCalls[0]?.id ?? 0, approve: true }];
  const { body } = await conversation.approve(message.id, decisions);
  expect([body.status, body.content]).toEqual(['COMPLETE', 'It is created.']);
});
