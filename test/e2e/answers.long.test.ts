import { randomUUID } from 'node:crypto';
import { e2e, made } from '../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { type Operation, operations } from './permissions-matrix.ts';
import { makeWorld, sampleEnvironment } from './sample-world.ts';
import { pathOf, sampleOf, sendSample } from './send-sample.ts';

const { server } = e2e({ env: sampleEnvironment });
const world = made(() => makeWorld(server.url));

/** Expects a problem document that names the request. */
function expectProblem({ status, headers, body }: Answer<ProblemBody>, wanted: number, id: string) {
  expect(status).toBe(wanted);
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(body).toMatchObject({
    type: `urn:problem:${body.code.toLowerCase().replaceAll('_', '-')}`,
    title: expect.any(String),
    status: wanted,
    detail: expect.any(String),
    instance: id,
    code: expect.stringMatching(/^[A-Z][A-Z_]+$/),
  });
  expect(headers['x-request-id']).toBe(id);
}

/** Expects an error of RFC 6749, section 5.2, which the token endpoint has in place of problems. */
function expectOauthError({ status, headers, body }: Answer<unknown>, wanted: number, id: string) {
  expect([status, headers['x-request-id']]).toEqual([wanted, id]);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
}

/** Expects an error of JSON-RPC, which the Model Context Protocol has in place of most problems. */
function expectRpcError({ status, headers, body }: Answer<unknown>, wanted: number, id: string) {
  expect([status, headers['x-request-id']]).toEqual([wanted, id]);
  expect(headers['content-type']).toMatch(/^application\/json/);
  const error = { code: expect.any(Number), message: expect.any(String) };
  expect(body).toEqual({ jsonrpc: '2.0', id: null, error });
}

const withId = () => {
  const id = randomUUID();
  return { id, headers: { 'x-request-id': id } };
};
const needsToken = ({ contract }: Operation) => contract.access.who !== 'public';

describe.each(operations)('$method $path', (operation) => {
  it('names its request, in success and in a refusal', async () => {
    const sample = await sampleOf(operation, world);
    const wrong = withId();
    const query = { ...sample.query, 'no such': 'x' };
    // A query of any form is received there; an unknown token is not.
    const isReceived = operation.contract.receivedRequest !== undefined;
    const sent = isReceived ? { ...sample, path: { token: 'x' } } : sample;
    const refused = await sendSample<ProblemBody>(server.url, operation, sent, { ...wrong, query });
    if (isReceived) expectProblem(refused, 404, wrong.id);
    else if (operation.contract.protocol === 'oauth') expectOauthError(refused, 400, wrong.id);
    else if (operation.contract.protocol === 'mcp') expectRpcError(refused, 400, wrong.id);
    else {
      expectProblem(refused, 400, wrong.id);
      expect(refused.body.errors).toContainEqual(
        expect.objectContaining({ in: 'query', path: 'no such', code: 'unknown_field' }),
      );
    }
    const { id, headers } = withId();
    const answer = await sendSample(server.url, operation, sample, { headers });
    expect({ answer, isDone: answer.status < 300 }).toMatchObject({ isDone: true });
    expect(answer.headers['x-request-id']).toBe(id);
    const isCounted = answer.status !== 204 && operation.contract.format !== 'events';
    expect(answer.headers['content-length']).toBe(
      isCounted ? String(Buffer.byteLength(answer.text)) : undefined,
    );
  });

  it('lists its methods, and is a 405 with any other', async () => {
    const path = operation.path.replaceAll(/\{\w+\}/g, '1');
    const options = await request(server.url, 'OPTIONS', path);
    const allow = String(options.headers.allow).split(', ');
    expect([options.status, options.text]).toEqual([204, '']);
    expect(allow).toEqual(expect.arrayContaining([operation.method, 'OPTIONS']));
    expect(allow.includes('HEAD')).toBe(allow.includes('GET'));
    const { id, headers } = withId();
    const refused = await request<ProblemBody>(server.url, 'PATCH', path, { headers });
    expectProblem(refused, 405, id);
    expect(refused.headers.allow).toBe(options.headers.allow);
  });
});

test.each(operations.filter(needsToken))('$name is 401 without a token', async (operation) => {
  const { 'x-api-key': _key, ...own } = (await sampleOf(operation, world)).headers ?? {};
  const { id, headers } = withId();
  const sample = { ...(await sampleOf(operation, world)), headers: own, token: '' };
  const answer = await sendSample<ProblemBody>(server.url, operation, sample, { headers });
  expectProblem(answer, 401, id);
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
});

const reads = operations.filter(({ method }) => method === 'GET');

test.each(reads)('HEAD of $path is its GET without the body', async (operation) => {
  const sample = await sampleOf(operation, world);
  const get = await sendSample(server.url, operation, sample);
  const head = await request(server.url, 'HEAD', pathOf(operation, sample), sample);
  expect([head.status, head.text]).toEqual([get.status, '']);
  for (const name of ['content-type', 'etag', 'link', 'cache-control']) {
    expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  }
});
