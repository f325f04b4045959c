import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { createWorkspace, registerVerified } from '../../helpers/people.ts';
import { createFlow, getRun } from '../../helpers/runs.ts';
import { startServer } from '../../helpers/server.ts';

const { server, owner: ada, workspace } = e2e({ own: true });
let flowId: number;

const ECHO = `do:
  - copy: { set: { got: '\${ $input.body }' } }
`;

beforeAll(async () => {
  flowId = await workspace.flow(ECHO);
});

interface WebhookAnswer {
  id: number;
  flowId: number;
  url: string;
}
const create = async (body?: object, flow = flowId) => {
  const answer = await ada.call<WebhookAnswer>('POST', `/flows/${flow}/webhooks`, { body });
  expect(answer.status).toBe(201);
  return answer.body;
};

interface Sent {
  body?: string;
  type?: string;
  headers?: Record<string, string>;
  query?: string;
}
/** Sends a request to a URL of the server, whose port is not the one of `PUBLIC_URL` here. */
async function send(
  url: string,
  { body, type, headers = {}, query = '' }: Sent = {},
  base = server.url,
) {
  const path = url.slice(url.indexOf('/hooks/'));
  const response = await fetch(`${base}${path}${query}`, {
    method: 'POST',
    headers: { ...(type === undefined ? {} : { 'Content-Type': type }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const answer = (await response.json()) as { runId: number } & ProblemBody;
  return { status: response.status, body: answer };
}
const JSON_TYPE = 'application/json';
const inputOf = async (runId: number) =>
  (await getRun(ada, runId)).input as { headers: object; query: object; body: unknown };

test('a request runs the flow with its headers, query and body, without what authenticates', async () => {
  const { url, id } = await create();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1(?::\d+)?\/hooks\/[\w-]{43}$/);
  const headers = {
    authorization: 'Bearer some-secret',
    cookie: 'a=some-secret',
    'x-api-key': 'some-secret',
    'x-forwarded-for': '10.0.0.1',
    'x-event': 'order.created',
  };
  const sent = {
    body: '{"order":[1,{"a":null}]}',
    type: JSON_TYPE,
    headers,
    query: '?shop=eu&api_key=some-secret',
  };
  const { status, body } = await send(url, sent);
  expect(status).toBe(202);
  const run = await getRun(ada, body.runId);
  expect(run).toMatchObject({ startedBy: { type: 'system', id, name: 'webhook' } });
  const input = await inputOf(body.runId);
  expect(input).toMatchObject({ body: { order: [1, { a: null }] } });
  expect(input.query).toEqual({ shop: 'eu' });
  expect(input.headers).toMatchObject({ 'x-event': 'order.created', 'content-type': JSON_TYPE });
  const text = JSON.stringify([run, input]);
  expect(text).not.toContain('some-secret');
  expect(text).not.toContain('10.0.0.1');
  expect(text).not.toContain(url.split('/').at(-1));
});

test.each([
  { type: 'text/plain; charset=utf-8', body: 'a line\n', value: 'a line\n' },
  { type: 'application/x-www-form-urlencoded', body: 'a=1&b=2', value: 'a=1&b=2' },
  { type: 'application/cloudevents+json', body: '[1]', value: [1] },
  { type: undefined, body: undefined, value: null },
])('the body of $type is $value', async ({ type, body, value }) => {
  const { url } = await create();
  const sent = { ...(type === undefined ? {} : { type }), ...(body === undefined ? {} : { body }) };
  const { body: answer } = await send(url, sent);
  expect((await inputOf(answer.runId)).body).toEqual(value);
});

test.each([
  {
    name: 'broken JSON',
    sent: { type: JSON_TYPE, body: '{"a":' },
    refused: [400, 'MALFORMED_BODY'],
  },
  {
    name: 'an image',
    sent: { type: 'image/png', body: 'x' },
    refused: [415, 'UNSUPPORTED_MEDIA_TYPE'],
  },
  {
    name: 'a compressed body',
    sent: { type: JSON_TYPE, body: '{}', headers: { 'content-encoding': 'gzip' } },
    refused: [415, 'UNSUPPORTED_MEDIA_TYPE'],
  },
  {
    name: 'a body of 2 MB',
    sent: { type: 'text/plain', body: 'x'.repeat(2_000_000) },
    refused: [413, 'BODY_TOO_LARGE'],
  },
  {
    name: 'a body whose JSON is longer than an input',
    sent: { type: 'text/plain', body: '\u0001'.repeat(100_000) },
    refused: [413, 'BODY_TOO_LARGE'],
  },
  {
    name: 'NUL in a body',
    sent: { type: JSON_TYPE, body: '{"a":"\\u0000"}' },
    refused: [400, 'INVALID_REQUEST'],
  },
])('refuses $name', async ({ sent, refused }) => {
  const { url } = await create();
  const { status, body } = await send(url, sent);
  expect([status, body.code]).toEqual(refused);
});

test('an unknown token, a malformed one and a deleted webhook are one and the same 404', async () => {
  const { url, id } = await create();
  expect((await ada.call('DELETE', `/flows/webhooks/${id}`)).status).toBe(204);
  const unknown = `${server.url}/hooks/${randomBytes(32).toString('base64url')}`;
  const answers = await Promise.all(
    [url, unknown, `${server.url}/hooks/x`, `${server.url}/hooks/%zz`].map((each) => send(each)),
  );
  const [first] = answers.map(({ status, body: { instance: _, ...body } }) => ({ status, body }));
  expect(first).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  for (const {
    status,
    body: { instance: _, ...body },
  } of answers) {
    expect({ status, body }).toEqual(first);
  }
});

test('the same webhook-id starts nothing twice', async () => {
  const { url } = await create();
  const headers = { 'webhook-id': 'msg_1' };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => send(url, { type: JSON_TYPE, body: '{}', headers })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
  const other = await send(url, { headers: { 'webhook-id': 'msg_2' } });
  expect(other.body.runId).not.toBe(answers[0]?.body.runId);
});

test('who may not start a run is told why', async () => {
  const empty = await ada.call<{ id: number }>('POST', '/flows', {
    body: { workspaceId: workspace.id, name: 'without a version' },
  });
  const { url } = await create({}, empty.body.id);
  expect(await send(url)).toMatchObject({ status: 409, body: { code: 'FLOW_HAS_NO_VERSION' } });
});

test('the log has no token', async () => {
  const { url } = await create();
  await send(url);
  await send(`${url}x`);
  expect(server.output()).not.toContain(url.split('/').at(-1));
});

describe('with a secret', () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const signer = new Webhook(secret);
  const signed = (body: string, at = new Date(), id = `msg_${randomBytes(4).toString('hex')}`) => ({
    type: JSON_TYPE,
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signer.sign(id, at, body),
    },
  });
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
  let url: string;
  beforeAll(async () => {
    url = (await create({ secret })).url;
  });

  test('a signed request runs the flow, also with a second signature', async () => {
    const body = '{ "a" : 1 }';
    expect((await send(url, signed(body))).status).toBe(202);
    const request = signed(body);
    request.headers['webhook-signature'] = `v1,AAAA v1a,x ${request.headers['webhook-signature']}`;
    expect((await send(url, request)).status).toBe(202);
    expect((await send(url, signed(body, ago(290)))).status).toBe(202);
  });

  test.each([
    ['an old one', () => signed('{}', ago(310)), 'too old'],
    ['one of the future', () => signed('{}', ago(-310)), 'too far in the future'],
    ['another body', () => ({ ...signed('{"a":1}'), body: '{"a":2}' }), 'No signature'],
    [
      'an id with a dot',
      () => {
        const request = signed('{}');
        const id = `msg.${Math.floor(Date.now() / 1000)}`;
        request.headers['webhook-id'] = id;
        request.headers['webhook-signature'] = signer.sign(id, new Date(), '{}');
        return request;
      },
      'must have no dot',
    ],
    ['no signature', () => ({ type: JSON_TYPE, body: '{}' }), 'webhook-id is missing'],
    [
      'a signature with another secret',
      () => {
        const request = signed('{}');
        const { 'webhook-id': id } = request.headers;
        const other = new Webhook(randomBytes(32).toString('base64'));
        request.headers['webhook-signature'] = other.sign(id, new Date(), '{}');
        return request;
      },
      'No signature',
    ],
  ])('refuses %s', async (_name, make, detail) => {
    const { status, body } = await send(url, make());
    expect([status, body.code]).toEqual([401, 'SIGNATURE_REFUSED']);
    expect(body.detail).toContain(detail);
    expect(JSON.stringify(body)).not.toContain(secret.slice(6, 20));
  });

  test('no answer shows the secret', async () => {
    const { text } = await ada.call('GET', `/flows/${flowId}/webhooks`);
    expect(text).not.toContain(secret.slice(6, 20));
  });

  test.each(['secret', 'whsec_', 'whsec_AAAA', `whsec_${'A'.repeat(100)}`])(
    'the secret %s is refused',
    async (wrong) => {
      const { status, body } = await ada.call<ProblemBody>('POST', `/flows/${flowId}/webhooks`, {
        body: { secret: wrong },
      });
      expect([status, body.errors?.[0]?.path]).toEqual([400, 'secret']);
    },
  );
});

test('requests are limited by token, and unknown tokens by address', async () => {
  const limited = await startServer({ env: { RATE_LIMIT: '20/36000' }, oneProcess: true });
  const owner = await registerVerified(limited.url);
  const flow = await createFlow(owner, await createWorkspace(owner), ECHO);
  const make = async () =>
    (await owner.call<WebhookAnswer>('POST', `/flows/${flow}/webhooks`, {})).body.url;
  const [one, other] = [await make(), await make()];
  const statusesOf = async (url: string, count: number) => {
    const statuses: number[] = [];
    for (let at = 0; at < count; at++) statuses.push((await send(url, {}, limited.url)).status);
    return statuses;
  };
  expect((await statusesOf(one, 23)).filter((status) => status === 429).length).toBeGreaterThan(0);
  expect((await send(other, {}, limited.url)).status).toBe(202);
  const guesses: number[] = [];
  for (let at = 0; at < 25; at++) {
    guesses.push(
      (await send(`/hooks/${randomBytes(32).toString('base64url')}`, {}, limited.url)).status,
    );
  }
  expect(guesses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 404));
  expect(guesses.at(-1)).toBe(429);
  expect((await send(other, {}, limited.url)).status).toBe(202);
});
