import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { e2e } from '../../../fixtures/e2e.ts';
import { createStore } from '../../../helpers/configurations.ts';
import { endOf, type RunAnswer, stepsOf } from '../../../helpers/runs.ts';

/** The secret that nothing but the called server may see. */
const CANARY = 'canary-4711-secret';

const seen: IncomingMessage[] = [];
const called = createServer((request, response) => {
  seen.push(request);
  request.resume();
  response.setHeader('content-type', 'application/json');
  const { authorization = null } = request.headers;
  response.end(JSON.stringify({ authorization, remembered: CANARY }));
});

const { owner, workspace } = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
let origin: string;
let credentialId: number;
let descriptionId: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    called.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(called.address() as AddressInfo).port}`;
  credentialId = await create('/auth-credentials', {
    name: 'Shop',
    authType: 'BEARER',
    allowedOrigins: [origin],
    secret: { token: CANARY },
  });
  descriptionId = await create('/api-descriptions', {
    name: 'One order',
    description: '',
    url: `${origin}/orders/{id}`,
    methodType: 'GET',
    authCredentialId: credentialId,
  });
});
afterAll(() => void called.close());

async function create(path: string, body: object): Promise<number> {
  const answer = await owner.call<{ id: number }>('POST', path, {
    body: { workspaceId: workspace.id, ...body },
  });
  if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body.id;
}

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
    headers: { authorization: `Bearer ${CANARY}`, 'idempotency-key': `${ended.id}/do/0/ask//1` },
  });
  const [step] = await stepsOf(owner, ended.id);
  expect(step).toMatchObject({
    request: { method: 'GET', url: `${origin}/orders/a%2Fb`, bytes: 0 },
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
