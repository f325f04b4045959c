import type { HttpEffect } from '../../interpreter/effect.ts';
import { httpOutput } from '../../interpreter/http/response.ts';
import { expandUri } from '../../interpreter/http/uri.ts';
import { FlowError } from '../../interpreter/problem.ts';
import type { Json } from '../../plan.ts';
import { plan, TestHost, toEnd } from './test-host.ts';

async function effectOf(withFields: string, input: Json = {}): Promise<HttpEffect> {
  const host = Object.assign(new TestHost(), { input: JSON.stringify(input) });
  const outcome = await toEnd(plan(`do: [{ c: { call: http, with: { ${withFields} } } }]`), host);
  const effect = host.requests[0]?.effect;
  if (effect?.kind !== 'call-http') throw new Error(JSON.stringify(outcome));
  return effect;
}

describe('a request', () => {
  test('is made of the evaluated fields', async () => {
    const fields =
      'method: post, endpoint: "https://a.test/p?z=1", headers: { X-A: "#{ n }" }, query: { q: "#{ t }", l: [1, 2], u: "#{ gone }" }, body: { n: "#{ n }" }';
    expect(await effectOf(fields, { n: 5, t: 'a b&c' })).toEqual({
      kind: 'call-http',
      method: 'POST',
      url: 'https://a.test/p?z=1&q=a%20b%26c&l=1&l=2',
      headers: { 'x-a': '5', 'content-type': 'application/json' },
      body: '{"n":5}',
      output: 'content',
    });
  });

  test.each([
    ['https://a.test/p?#f', undefined, 'https://a.test/p'],
    ['https://a.test/p?z=1#f', undefined, 'https://a.test/p?z=1'],
    ['https://a.test/p#f', '{ q: 1 }', 'https://a.test/p?q=1'],
    ['https://a.test/p?', '{ q: 1 }', 'https://a.test/p?q=1'],
    ['https://A.test', undefined, 'https://a.test/'],
  ])('to %s with the query %s goes to %s', async (endpoint, query, url) => {
    const fields = `method: get, endpoint: "${endpoint}"${query ? `, query: ${query}` : ''}`;
    expect((await effectOf(fields)).url).toBe(url);
  });

  test.each([
    ['body: "#{ gone }"', null, undefined],
    ['body: "text"', 'text', 'text/plain; charset=utf-8'],
    ['body: "#{ [1] }"', '[1]', 'application/json'],
    [
      'body: { a: "b c" }, headers: { Content-Type: application/x-www-form-urlencoded }',
      'a=b%20c',
      'application/x-www-form-urlencoded',
    ],
    ['body: "<a/>", headers: { Content-Type: text/xml }', '<a/>', 'text/xml'],
  ])('%s', async (field, body, type) => {
    const effect = await effectOf(`method: post, endpoint: "https://a.test/", ${field}`);
    expect(effect.body).toBe(body);
    expect(effect.headers['content-type']).toBe(type);
  });

  test.each([
    ['idempotencyKey: "order-#{ id }"', 'order-7'],
    ['idempotencyKey: "#{ id }"', '7'],
    ['idempotencyKey: order', 'order'],
    ['body: x', undefined],
  ])('with %s has the key %s', async (field, key) => {
    const fields = `method: post, endpoint: "https://a.test/", ${field}`;
    expect((await effectOf(fields, { id: 7 })).headers['idempotency-key']).toBe(key);
  });

  test.each([
    ['endpoint: "https://a.test/", idempotencyKey: "#{ none }"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", idempotencyKey: "a #{ up }"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", idempotencyKey: "a-#{ none }"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", idempotencyKey: "a-#{ null }"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", idempotencyKey: "a-#{ \\"\\" }"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", idempotencyKey: "a-#{ [1] }"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", idempotencyKey: "#{ {} }"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", idempotencyKey: "#{ [1, 2] }"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", idempotencyKey: "#{ true }"', 'EXPRESSION_FAILED'],
    ['endpoint: "#{ \\"ftp://a\\" }"', 'TARGET_REFUSED'],
    ['endpoint: "#{ 1 }"', 'TARGET_REFUSED'],
    ['endpoint: "#{ \\"https://u:p@a.test\\" }"', 'TARGET_REFUSED'],
    ['endpoint: "https://a.test/{up}"', 'TARGET_REFUSED'],
    ['endpoint: "https://a.test/{none}"', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", headers: { X-A: a, x-a: b }', 'EXPRESSION_FAILED'],
    ['endpoint: "https://a.test/", headers: { X-A: "#{ {} }" }', 'EXPRESSION_FAILED'],
  ])('is refused with %s', async (fields, title) => {
    const host = Object.assign(new TestHost(), { input: '{"up":".."}' });
    const flow = plan(`do: [{ c: { call: http, with: { method: get, ${fields} } } }]`);
    expect(await toEnd(flow, host)).toMatchObject({
      kind: 'failed',
      error: { title, status: 400 },
    });
    expect(host.done).toEqual([]);
  });

  test.each([
    ['/a/{id}', '/a/1%2F2%3F%20%C3%A4'],
    ['/{n}?q={toString}', '/5'],
    ['/{o}', '/%7B%22a%22%3A1%7D'],
    ['/a?q={up}&r={id}', '/a?q=..&r=1%2F2%3F%20%C3%A4'],
  ])('fills %s', (template, expected) => {
    expect(expandUri(template, { id: '1/2? ä', n: 5, o: { a: 1 }, up: '..' })).toBe(expected);
  });
});

describe('an answer', () => {
  const effect = (output: HttpEffect['output']): HttpEffect => ({
    kind: 'call-http',
    method: 'GET',
    url: 'https://a.test/x?secret=1',
    headers: { a: 'b' },
    body: null,
    output,
  });
  const answer = (type: string, body: string | Uint8Array, status = 200) => ({
    status,
    headers: { 'content-type': type },
    body: Buffer.from(body),
  });

  test.each([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/problem+json; charset=utf-8', '[1]', [1]],
    ['text/json', '{"a":1}', { a: 1 }],
    ['image/x+json', '{"a":1}', { a: 1 }],
    ['application/json-seq', '{"a":1}', '{"a":1}'],
    ['application/json', '', null],
    [
      'application/json',
      '{"id":7615917337495251231,"n":[1e999]}',
      { id: '7615917337495251231', n: ['1e999'] },
    ],
    ['text/plain', 'hä', 'hä'],
    ['text/plain; charset=latin1', Buffer.from([0xe4]), 'ä'],
    ['text/plain; charset=unknown', 'a', 'a'],
    ['application/json; charset=iso-8859-1', Buffer.from('{"ä":"ü"}', 'latin1'), { ä: 'ü' }],
    ['application/json;charset=UTF-16LE', Buffer.from('["😂"]', 'utf16le'), ['😂']],
    ['application/json;charset="utf-16"', Buffer.from('\ufeff["ä"]', 'utf16le').swap16(), ['ä']],
    [
      'application/json',
      '{"\\ud800":"a\\ud800b","n":["\\u0000",{"\\u0000":"\\ud83d\\ude02"}],"__proto__":"\\udc00"}',
      JSON.parse('{"\ufffd":"a\ufffdb","n":["\ufffd",{"\ufffd":"😂"}],"__proto__":"\ufffd"}'),
    ],
    ['text/plain', 'a\0b', 'a\ufffdb'],
    ['text/csv', Buffer.from([0x61, 0xe4]), 'a\ufffd'],
    ['application/xml', '<a/>', '<a/>'],
    ['image/svg+xml', '<svg/>', '<svg/>'],
    ['', 'text', 'text'],
    ['image/png', Buffer.from([1, 255]), { base64: 'Af8=', type: 'image/png', size: 2 }],
    ['Image/GIF; x=1', 'GIF', { base64: 'R0lG', type: 'image/gif', size: 3 }],
    [
      'application/octet-stream',
      'a',
      { base64: 'YQ==', type: 'application/octet-stream', size: 1 },
    ],
    [
      'application/x-own',
      Buffer.from([0xff]),
      { base64: '/w==', type: 'application/x-own', size: 1 },
    ],
    ['', Buffer.from([0]), { base64: 'AA==', type: '', size: 1 }],
  ])('of %s', (type, body, content) => {
    expect(httpOutput(effect('content'), answer(type, body))).toEqual(content);
  });

  test('is given whole as response and in base64 as raw', () => {
    expect(httpOutput(effect('response'), answer('application/json', '1'))).toEqual({
      request: { method: 'GET', uri: 'https://a.test/x' },
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      content: 1,
    });
    expect(httpOutput(effect('raw'), answer('image/png', Buffer.from([1, 255])))).toBe('Af8=');
  });

  test('as response has no secret of the answer', () => {
    const secret = {
      'set-cookie': 'sid=secret; Path=/',
      'www-authenticate': 'Bearer realm="secret"',
      'authentication-info': 'nextnonce="secret"',
      'x-subject-token': 'secret',
    };
    const { headers, body } = answer('text/plain', '');
    const given = { status: 200, headers: { ...headers, ...secret, etag: '"1"' }, body };
    const output = httpOutput(effect('response'), given);
    expect(output).toMatchObject({
      headers: { 'content-type': 'text/plain', 'set-cookie': '***', etag: '"1"' },
    });
    expect(JSON.stringify(output)).not.toContain('secret');
  });

  test('as response has nothing that the server repeats of the request', () => {
    const request = {
      ...effect('response'),
      url: 'https://a.test/x?apikey=QUERYSECRET&s=Zx9&page=1&t=a%20secret%20one&BARESECRET',
      headers: { authorization: 'Bearer HEADERSECRET', accept: 'text/plain' },
    };
    const { headers, body } = answer('text/plain', '');
    const repeated = {
      link: '<https://a.test/x?apikey=QUERYSECRET&s=Zx9&page=2>; rel="next"',
      'content-location': '/x?t=a%20secret%20one&BARESECRET',
      'x-echo': 'Bearer HEADERSECRET, a secret one',
      'access-token': 'ACCESSSECRET',
    };
    const given = { status: 200, headers: { ...headers, ...repeated }, body };
    expect(httpOutput(request, given)).toMatchObject({
      headers: {
        'content-type': 'text/plain',
        link: '<https://a.test/x?apikey=***&s=***&page=2>; rel="next"',
        'content-location': '/x?t=***&***',
        'x-echo': '***, ***',
        'access-token': '***',
      },
    });
  });

  test('that is broken JSON says where, and nothing of the body', () => {
    const broken = answer('application/json', '{"a": 1, /x?apikey=QUERYSECRET}');
    expect(thrownBy(() => httpOutput(effect('content'), broken)).detail).toBe(
      'the body is no usable JSON: it is broken at position 9',
    );
  });

  test.each([
    ['another status', answer('text/plain', 'no', 404), 404, 'HTTP_STATUS'],
    ['a redirect left', answer('text/plain', '', 302), 302, 'HTTP_STATUS'],
    ['broken JSON', answer('application/json', '{'), 500, 'CONNECTION_FAILED'],
    [
      'JSON in another encoding',
      answer('application/json', Buffer.from([0x22, 0xe4, 0x22])),
      500,
      'CONNECTION_FAILED',
    ],
    [
      'depth',
      answer('application/json', `${'['.repeat(200)}${']'.repeat(200)}`),
      500,
      'CONNECTION_FAILED',
    ],
  ])('with %s is an error in all shapes', (_, response, status, title) => {
    for (const output of ['content', 'response', 'raw'] as const) {
      const problem = thrownBy(() => httpOutput(effect(output), response));
      expect(problem).toMatchObject({
        status,
        title,
        type: expect.stringMatching(/communication$/),
      });
      expect(problem.detail).not.toContain('secret');
    }
  });

  test('has at most 512 KiB as its output says, and an error names no more of a long address', () => {
    const text = answer('text/plain', 'x'.repeat(400 * 1024));
    expect(httpOutput(effect('content'), text)).toHaveLength(400 * 1024);
    expect(thrownBy(() => httpOutput(effect('raw'), text))).toMatchObject({
      title: 'OUTPUT_TOO_LARGE',
    });
    const long = { ...effect('content'), url: `https://a.test/${'x'.repeat(100_000)}` };
    const { detail } = thrownBy(() => httpOutput(long, answer('text/plain', '', 500)));
    expect(detail.length).toBeLessThan(600);
  });
});

function thrownBy(work: () => unknown) {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof FlowError) return thrown.toProblem();
  }
  throw new Error('no FlowError was thrown');
}
