import fc from 'fast-check';
import type { ApiDescriptionEffect } from '../../interpreter/effect.ts';
import type { Mask } from '../../interpreter/http/mask.ts';
import { apiDescriptionOutput, httpOutput } from '../../interpreter/http/response.ts';
import { FlowError } from '../../interpreter/problem.ts';
import type { Json } from '../../plan.ts';
import { plan, TestHost, toEnd } from './test-host.ts';

const flowOf = (fields: string) =>
  plan(`do: [{ c: { call: apiDescription, with: { apiDescriptionId: 31, ${fields} } } }]`);

async function effectOf(fields: string, input: Json = {}): Promise<ApiDescriptionEffect> {
  const host = Object.assign(new TestHost(), { input: JSON.stringify(input) });
  const outcome = await toEnd(flowOf(fields), host);
  const effect = host.requests[0]?.effect;
  if (effect?.kind !== 'call-api-description') throw new Error(JSON.stringify(outcome));
  return effect;
}

describe('a call through an API description', () => {
  test('is made of the evaluated fields', async () => {
    const fields =
      'credential: source, path: { id: "#{ n }", name: "a/#{ t }" }, query: { q: "#{ t }", l: [1, "x", null], u: "#{ gone }", z: null, e: [], o: { a: 1 } }, headers: { X-A: "#{ n }" }, body: { n: "#{ n }" }';
    expect(await effectOf(fields, { n: 5, t: 'b c' })).toEqual({
      kind: 'call-api-description',
      apiDescriptionId: 31,
      credential: 'source',
      path: { id: '5', name: 'a/b c' },
      query: { q: 'b c', l: ['1', 'x'], o: '{"a":1}' },
      headers: { 'x-a': '5', 'content-type': 'application/json' },
      body: '{"n":5}',
    });
  });

  test('of nothing more uses the own credential of the description', async () => {
    expect(await effectOf('')).toEqual({
      kind: 'call-api-description',
      apiDescriptionId: 31,
      credential: null,
      path: {},
      query: {},
      headers: {},
      body: null,
    });
  });

  test.each([
    ['source', 'source'],
    ['destination', 'destination'],
    ['none', 'none'],
    ['7', 7],
  ])('with the credential %s', async (written, credential) => {
    expect(await effectOf(`credential: ${written}`)).toMatchObject({ credential });
  });

  test('takes path and query from one expression each', async () => {
    const effect = await effectOf('path: "#{ p }", query: "#{ q }"', {
      p: { id: 1, ok: true },
      q: { a: [1, 2], b: null },
    });
    expect(effect).toMatchObject({ path: { id: '1', ok: 'true' }, query: { a: ['1', '2'] } });
    expect(await effectOf('query: "#{ gone }", path: "#{ gone }"')).toMatchObject({
      query: {},
      path: {},
    });
  });

  test.each([
    ['body: "text"', 'text', 'text/plain; charset=utf-8'],
    ['body: "#{ [1] }"', '[1]', 'application/json'],
    [
      'body: { a: "b c" }, headers: { Content-Type: application/x-www-form-urlencoded }',
      'a=b%20c',
      'application/x-www-form-urlencoded',
    ],
    ['body: null', 'null', 'application/json'],
  ])('has a body as call: http has: %s', async (fields, body, type) => {
    expect(await effectOf(fields)).toMatchObject({ body, headers: { 'content-type': type } });
  });

  test.each([
    ['path: { id: "#{ gone }" }', 'the path value "id" is undefined'],
    ['path: { n: "#{ n }", id: "#{ null }" }', 'the path value "id" is null'],
    ['path: { id: "#{ \\"\\" }" }', 'the path value "id" is empty'],
    ['path: "#{ {\\"id\\": null} }"', 'the path value "id" is null'],
    ['path: { id: "#{ gone }#{ gone }" }', 'the path value "id" is empty'],
    ['path: "#{ 1 }"', 'the path is no object'],
    ['query: "#{ [1] }"', 'the query is no object'],
    ['headers: { a: "#{ {} }" }', 'the header "a" is no text'],
  ])('is refused with %s', async (fields, detail) => {
    const host = Object.assign(new TestHost(), { input: '{"n":1}' });
    expect(await toEnd(flowOf(fields), host)).toMatchObject({
      kind: 'failed',
      error: { title: 'EXPRESSION_FAILED', status: 400, detail, instance: '/do/0/c' },
    });
    expect(host.done).toEqual([]);
  });
});

const effect: ApiDescriptionEffect = {
  kind: 'call-api-description',
  apiDescriptionId: 31,
  credential: null,
  path: {},
  query: { key: 'QUERYSECRET' },
  headers: { 'x-api-key': 'HEADERSECRET' },
  body: null,
};
const answer = (type: string, body: string, status = 200) => ({
  status,
  headers: { 'content-type': type } as Record<string, string>,
  body: Buffer.from(body),
});

describe('the answer to a call through an API description', () => {
  test.each([
    ['application/json', '{"a":1}', { a: 1 }],
    ['text/plain', 'ok', 'ok'],
    ['application/json', '', null],
  ])('of %s', (type, body, value) => {
    expect(apiDescriptionOutput(effect, answer(type, body, 201))).toEqual({
      status: 201,
      headers: { 'content-type': type },
      body: value,
    });
  });

  test('has no secret header, and nothing that the server repeats of the request', () => {
    const { headers, ...given } = answer('text/plain', '');
    const repeated = {
      'set-cookie': 'sid=secret',
      link: '</x?key=QUERYSECRET&page=2>; rel="next"',
      'x-echo': 'HEADERSECRET',
    };
    const output = apiDescriptionOutput(effect, { ...given, headers: { ...headers, ...repeated } });
    expect(output).toMatchObject({
      headers: { 'set-cookie': '***', link: '</x?key=***&page=2>; rel="next"', 'x-echo': '***' },
    });
  });

  test.each([
    [answer('text/plain', 'no', 404), 404, 'HTTP_STATUS', 'API description 31 answered 404'],
    [answer('application/json', '{"a'), 500, 'CONNECTION_FAILED', /no usable JSON/],
    [answer('text/plain', 'x'.repeat(513 * 1024)), 500, 'OUTPUT_TOO_LARGE', /bytes/],
  ])('that is an error: %#', (response, status, title, detail) => {
    const thrown = problemOf(() => apiDescriptionOutput(effect, response));
    expect(thrown).toMatchObject({ status, title, detail: expect.stringMatching(detail) });
  });
});

describe('a mask by value', () => {
  const SECRET = 'canary-9a8b7c';
  const mask: Mask = {
    maskText: (text) => text.replaceAll(SECRET, '***'),
    maskJson: (value) => JSON.parse(JSON.stringify(value).replaceAll(SECRET, '***')),
  };
  const http = {
    kind: 'call-http',
    method: 'GET',
    url: `https://a.test/${SECRET}/x`,
    headers: {},
    body: null,
  } as const;

  test('covers body, headers and address of all outputs', () => {
    const given = answer('application/json', JSON.stringify({ [SECRET]: [`a ${SECRET}`] }));
    const response = { ...given, headers: { ...given.headers, 'x-echo': SECRET } };
    expect(apiDescriptionOutput(effect, response, mask)).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', 'x-echo': '***' },
      body: { '***': ['a ***'] },
    });
    const whole = httpOutput({ ...http, output: 'response' }, response, mask);
    expect(JSON.stringify(whole)).not.toContain(SECRET);
    expect(whole).toMatchObject({ content: { '***': ['a ***'] } });
  });

  test('covers a secret in a header of which a value of the request is a part', () => {
    const part = SECRET.slice(0, 9);
    const response = { ...answer('', ''), headers: { 'x-echo': `a ${SECRET}` } };
    const described = { ...effect, query: { a: part }, headers: { 'x-token': part } };
    expect(apiDescriptionOutput(described, response, mask)).toMatchObject({
      headers: { 'x-echo': 'a ***' },
    });
    const called = { ...http, url: `https://a.test/?a=${part}`, output: 'response' } as const;
    expect(httpOutput(called, response, mask)).toMatchObject({ headers: { 'x-echo': 'a ***' } });
  });

  test('covers characters that the body writes as escapes', () => {
    const escaped = `{"a":"${[...SECRET].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`;
    const output = apiDescriptionOutput(effect, answer('application/json', escaped), mask);
    expect(output).toMatchObject({ body: { a: '***' } });
  });

  test('covers a raw body, which stays base64, and leaves another byte for byte', () => {
    const raw = { ...http, output: 'raw' } as const;
    const masked = httpOutput(raw, answer('text/plain', `a ${SECRET}`), mask);
    expect(Buffer.from(String(masked), 'base64').toString()).toBe('a ***');
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        const response = { ...answer('image/png', ''), body };
        expect(httpOutput(raw, response, mask)).toBe(Buffer.from(body).toString('base64'));
      }),
    );
  });

  test('covers the address of an error, before the address is cut', () => {
    const cut = `https://a.test/${'x'.repeat(500 - 'https://a.test/'.length - 5)}${SECRET}`;
    for (const url of [http.url, cut]) {
      const work = () => httpOutput({ ...http, url, output: 'raw' }, answer('', '', 500), mask);
      expect(problemOf(work).detail).not.toContain(SECRET.slice(0, 4));
    }
  });
});

function problemOf(work: () => unknown) {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof FlowError) return thrown.toProblem();
  }
  throw new Error('no FlowError was thrown');
}
