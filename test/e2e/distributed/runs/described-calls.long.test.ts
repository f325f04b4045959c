import type { IncomingMessage, RequestListener } from 'node:http';
import { e2e, started } from '../../../fixtures/e2e.ts';
import { createStore } from '../../../helpers/configurations.ts';
import { LocalServer } from '../../../helpers/local-server.ts';
import { callKey, endOf, type RunAnswer, stepsOf } from '../../../helpers/runs.ts';

/** The secret that nothing but the called server may see. */
const CANARY = 'canary-4711-secret';

const seen: IncomingMessage[] = [];
const listener: RequestListener = (request, response) => {
  seen.push(request);
  request.resume();
  response.setHeader('content-type', 'application/json');
  const { authorization = null } = request.headers;
  response.end(JSON.stringify({ authorization, remembered: CANARY }));
};
const called = started(new LocalServer(listener));

const { owner, workspace } = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
let credentialId: number;
let descriptionId: number;

beforeAll(async () => {
  const { origin } = called;
  ({ id: credentialId } = await workspace.make('/auth-credentials', {
    name: 'Shop',
    authType: 'BEARER',
    allowedOrigins: [origin],
    secret: { token: CANARY },
  }));
  ({ id: descriptionId } = await workspace.make('/api-descriptions', {
    name: 'One order',
    description: '',
    url: `${origin}/orders/{id}`,
    methodType: 'GET',
    authCredentialId: credentialId,
  }));
});
const ask = (more: object = {}) => ({
  call: 'apiDescription',
  with: { apiDescriptionId: descriptionId, path: { id: 'a/b' }, ...more },
});

const flowOf = (...tasks: object[]): Promise<number> =>
  workspace.flow(JSON.stringify({ do: tasks }));

async function run(flowId: number, body: object = {}): Promise<RunAnswer> {
  const query = { wait: 20_000 };
  const answer = await owner.call<RunAnswer>('POST', `/flows/${flowId}/runs`, { body, query });
  return answer.status === 202 ? endOf(owner, answer.body.id) : answer.body;
}

test('a flow calls with the credential of the description, and shows no secret', async () => {
  const ended = await run(await flowOf({ ask: ask() }));
  expect(ended).toMatchObject({
    status: 'SUCCESS',
    output: { status: 200, body: { authorization: 'Bearer ***', remembered: '***' } },
  });
  expect(seen.at(-1)).toMatchObject({
    url: '/orders/a%2Fb',
    headers: {
      authorization: `Bearer ${CANARY}`,
      'idempotency-key': callKey(ended.id, '/do/0/ask//1'),
    },
  });
  const [step] = await stepsOf(owner, ended.id);
  expect(step).toMatchObject({
    request: { method: 'GET', url: `${called.origin}/orders/a%2Fb`, bytes: 0 },
    response: { status: 200, headerNames: expect.arrayContaining(['content-type']) },
  });
  expect(step?.request?.headerNames).toEqual(['authorization', 'idempotency-key', 'traceparent']);
  const one = await owner.call('GET', `/flows/runs/${ended.id}/steps/${step?.id}`);
  expect(one.body).toMatchObject({ request: step?.request, response: step?.response });
  expect(one.text).not.toContain(CANARY);
});

test('source is the credential that the store of the run has for the flow', async () => {
  const flowId = await flowOf({ ask: ask({ credential: 'source' }) });
  const store = await createStore(owner, workspace.id, {
    flowCredentialPairs: [{ flowId, sourceAuthCredentialId: credentialId }],
  });
  expect(await run(flowId, { configuration: store.id })).toMatchObject({ status: 'SUCCESS' });
  expect(await run(flowId)).toMatchObject({ error: { title: 'CONFIGURATION_MISSING' } });
});

test.each([
  ['an unknown description', { apiDescriptionId: 999_999_999 }, 'REFERENCE_NOT_FOUND'],
  ['an unknown credential', { credential: 999_999_999 }, 'REFERENCE_NOT_FOUND'],
  ['a missing placeholder', { path: {} }, 'EXPRESSION_FAILED'],
  ['a header of the credential', { headers: { Authorization: 'mine' } }, 'EXPRESSION_FAILED'],
])('%s fails the call', async (_, more, title) => {
  expect(await run(await flowOf({ ask: ask(more) }))).toMatchObject({ error: { title } });
});
