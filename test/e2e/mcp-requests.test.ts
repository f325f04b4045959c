import { e2e } from '../fixtures/e2e.ts';
import { type ProblemBody, request } from '../helpers/http.ts';
import { callMethod, callTool, problemIn, sendMessage } from '../helpers/mcp.ts';
import { registerVerified } from '../helpers/people.ts';
import { startServer, stopServers } from '../helpers/server.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const PONG = { jsonrpc: '2.0', id: 1, result: {} };

const { server, owner, workspace } = e2e();

afterAll(stopServers);

const send = (message: unknown, headers: Record<string, string> = {}) =>
  sendMessage(server.url, message, { token: owner.token, headers });
const sendRaw = (raw: string | Buffer, headers: Record<string, string> = {}) =>
  request<{ error: { code: number; message: string } }>(server.url, 'POST', '/mcp', {
    token: owner.token,
    raw,
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('a message', () => {
  it.each([
    ['a batch', [PING, PING], -32600],
    ['an empty batch', [], -32600],
    ['null', null, -32600],
    ['a text', 'ping', -32600],
    ['of another version of JSON-RPC', { ...PING, jsonrpc: '1.0' }, -32600],
    ['without a method', { jsonrpc: '2.0', id: 1 }, -32600],
    ['whose method is a number', { ...PING, method: 7 }, -32600],
    ['whose id is null', { ...PING, id: null }, -32600],
    ['whose id is an object', { ...PING, id: {} }, -32600],
    ['whose id is no integer', { ...PING, id: 1.5 }, -32600],
  ])('%s is 400 with an error without an id', async (_, message, code) => {
    const { status, body, headers } = await send(message);
    expect([status, headers['content-type']]).toEqual([400, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code, message: expect.any(String) },
    });
  });

  it.each([
    ['bad JSON', '{"jsonrpc":"2.0",', -32700],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700],
    ['nothing', '', -32600],
    ['too many levels', '['.repeat(111) + ']'.repeat(111), -32600],
    ['too many values', JSON.stringify(Array.from({ length: 151_000 }, () => 1)), -32600],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600],
  ])('of %s is 400 with an error of JSON-RPC', async (_, raw, code) => {
    const { status, body } = await sendRaw(raw);
    expect([status, body.error.code]).toEqual([400, code]);
  });

  it('of more than 1 MiB is 413, a problem', async () => {
    const { status, headers } = await sendRaw(`"${'a'.repeat(1024 * 1024)}"`);
    expect([status, headers['content-type']]).toEqual([413, 'application/problem+json']);
  });

  it('of another media type is 415', async () => {
    const { status, body } = await sendRaw('{}', { 'content-type': 'text/plain' });
    expect([status, body.error.code]).toEqual([415, -32000]);
  });

  it.each([
    ['initialized', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['cancelled', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
    ['unknown', { jsonrpc: '2.0', method: 'notifications/nothing' }],
  ])('that is a notification (%s) is 202 without a body', async (_, message) => {
    const { status, text } = await send(message);
    expect([status, text]).toEqual([202, '']);
  });

  it.each([{ result: {} }, { error: { code: 1, message: 'x' } }])(
    'that is a response is 202: %j',
    async (more) => {
      expect((await send({ jsonrpc: '2.0', id: 1, ...more })).status).toBe(202);
    },
  );

  it.each([
    'server/discover',
    'completion/complete',
    'logging/setLevel',
    'resources/subscribe',
    'tasks/list',
    'toString',
    '__proto__',
  ])('with the method %s, which is not offered, is an error with its id', async (method) => {
    const { status, body } = await send({ jsonrpc: '2.0', id: 'a', method });
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32601, message: `There is no method ${method} here.` },
    });
  });

  it.each([
    ['initialize', undefined],
    ['initialize', { protocolVersion: 7 }],
    ['tools/call', {}],
    ['tools/call', { name: 7 }],
    ['tools/call', { name: 'issues_list', arguments: [] }],
    ['tools/call', 'issues_list'],
    ['tools/list', { cursor: 7 }],
    ['tools/list', { cursor: 'bad' }],
    ['tools/list', { cursor: Buffer.from('["issues.list"]').toString('base64url') }],
  ])('%s with the parameters %j is an error of parameters', async (method, params) => {
    const { error } = await callMethod(server.url, method, params, { token: owner.token });
    expect(error).toEqual({ code: -32602, message: expect.any(String) });
  });
});

describe('the version of the protocol', () => {
  const initialize = async (protocolVersion: string) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { result } = await callMethod(server.url, 'initialize', params, { token: owner.token });
    return result?.protocolVersion;
  };

  it('is the one of the client where the server knows it, else the latest', async () => {
    expect(await initialize('2025-06-18')).toBe('2025-06-18');
    expect(await initialize('2025-11-25')).toBe('2025-11-25');
    expect(await initialize('2099-01-01')).toBe('2025-11-25');
  });

  it('of a later request may be left out, and must be known', async () => {
    expect((await send(PING, { 'mcp-protocol-version': '2025-06-18' })).body).toEqual(PONG);
    const { status, body } = await send(PING, { 'mcp-protocol-version': '1999-01-01' });
    expect([status, body.id, body.error?.code]).toEqual([400, null, -32000]);
    expect(body.error?.message).toContain('2025-11-25, 2025-06-18');
  });
});

describe('the form of an answer', () => {
  const formOf = async (accept: string) => {
    const { status, headers, text } = await send(PING, { accept });
    return [status, headers['content-type']?.split(';')[0], text];
  };
  const json = [200, 'application/json', JSON.stringify(PONG)];
  const event = `event: message\ndata: ${JSON.stringify(PONG)}\n\n`;

  it.each([
    'application/json, text/event-stream',
    'application/json',
    '*/*',
    'application/*;q=0.5',
  ])('is JSON for %s', async (accept) => expect(await formOf(accept)).toEqual(json));

  it('is JSON for a client that says nothing of it', async () => {
    const { status, body } = await sendRaw(JSON.stringify(PING));
    expect([status, body]).toEqual([200, PONG]);
  });

  it.each(['text/event-stream', 'application/json;q=0, text/event-stream'])(
    'is a stream with one event for %s',
    async (accept) => expect(await formOf(accept)).toEqual([200, 'text/event-stream', event]),
  );

  it.each(['text/html', 'application/json;q=0'])('is none for %s', async (accept) => {
    const [status, type] = await formOf(accept);
    expect([status, type]).toEqual([406, 'application/json']);
  });
});

test.each(['GET', 'DELETE', 'PUT', 'PATCH'])(
  '%s is 405 with the methods that are',
  async (method) => {
    const { status, headers, body } = await request<ProblemBody>(server.url, method, '/mcp', {
      token: owner.token,
    });
    expect([status, headers.allow, body.code]).toEqual([
      405,
      'POST, OPTIONS',
      'METHOD_NOT_ALLOWED',
    ]);
  },
);

test.each([
  ['no token', {}],
  ['a bad token', { token: 'x.y.z' }],
  ['a bad key', { headers: { 'x-api-key': 'wsk_x' } }],
])('%s is 401 and names the metadata of the resource', async (_, credentials) => {
  const { status, headers, body } = await request<ProblemBody>(server.url, 'POST', '/mcp', {
    body: PING,
    ...credentials,
  });
  expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED']);
  const [, metadata = ''] =
    /^Bearer resource_metadata="([^"]+)"$/.exec(headers['www-authenticate'] ?? '') ?? [];
  expect(new URL(metadata).pathname).toBe('/.well-known/oauth-protected-resource/mcp');
});

test('the metadata says whose tokens count', async () => {
  const path = '/.well-known/oauth-protected-resource/mcp';
  const { status, body } = await request<Record<string, unknown>>(server.url, 'GET', path);
  const { body: jwt } = await request<{ accessToken: string }>(
    server.url,
    'POST',
    '/auth/refresh',
    {
      body: { refreshToken: owner.refreshToken },
    },
  );
  const claims = JSON.parse(
    Buffer.from(jwt.accessToken.split('.')[1] ?? '', 'base64url').toString(),
  );
  expect([status, body]).toEqual([
    200,
    {
      resource: `${claims.iss}/mcp`,
      authorization_servers: [claims.iss],
      bearer_methods_supported: ['header'],
    },
  ]);
});

describe('a request of a page', () => {
  it('of this machine counts in development', async () => {
    const { status } = await send(PING, { origin: 'http://localhost:6274' });
    expect(status).toBe(200);
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'file://'])(
    'of the origin %s is 403, whatever it sends',
    async (origin) => {
      const { status, headers } = await sendRaw('{', { origin });
      expect([status, headers['content-type']]).toEqual([403, 'application/problem+json']);
    },
  );

  it('of a configured origin counts, and may read who is asked for a token', async () => {
    const origin = 'https://agents.example';
    const server = await startServer({ env: { CORS_ORIGINS: origin } });
    const { headers } = await sendMessage(server.url, PING, { headers: { origin } });
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers['access-control-expose-headers']).toContain('WWW-Authenticate');
    const preflight = await request(server.url, 'OPTIONS', '/mcp', {
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('MCP-Protocol-Version');
  });
});

test('a request counts against the rate limit of its caller, and the refusal is a problem', async () => {
  const most = 20;
  const server = await startServer({ env: { RATE_LIMIT: `${most}/36000` }, oneProcess: true });
  const { token } = await registerVerified(server.url, 'Quick');
  const ping = () => sendMessage(server.url, PING, { token });
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length <= most) statuses.push((await ping()).status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  const { headers } = await ping();
  expect(headers['content-type']).toBe('application/problem+json');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

test('an Idempotency-Key is ignored', async () => {
  const headers = { 'idempotency-key': 'one' };
  const title = 'Twice';
  const params = {
    name: 'issues_create',
    arguments: { workspaceId: workspace.id, title, description: '' },
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answers = [await send(message, headers), await send(message, headers)];
  expect(answers.map((answer) => answer.headers['idempotent-replayed'])).toEqual([
    undefined,
    undefined,
  ]);
  const { structuredContent } = await callTool<{ items: { title: string }[] }>(
    server.url,
    'issues_list',
    { workspaceId: workspace.id },
    { token: owner.token },
  );
  expect(structuredContent?.items.map((issue) => issue.title)).toEqual([title, title]);
});

test('arguments that are no possible values are told the model, not refused', async () => {
  const args = { workspaceId: workspace.id, title: 'a\0b', description: '' };
  const result = await callTool(server.url, 'issues_create', args, { token: owner.token });
  expect(problemIn(result)).toMatchObject({
    code: 'INVALID_REQUEST',
    errors: [{ path: 'title', message: 'must not contain NUL' }],
  });
});

test.each([
  ['a name', { name: { toString: 1 }, arguments: {} }, 'params.name'],
  ['a list of names', { name: ['runs_start'], arguments: {} }, 'params.name'],
  ['a token', { name: 'ping', _meta: { progressToken: { toString: 1 } } }, 'params._meta'],
])('%s that is no text is an error of parameters', async (_, params, path) => {
  const { error } = await callMethod(server.url, 'tools/call', params, { token: owner.token });
  expect([error?.code, error?.message]).toEqual([-32602, expect.stringContaining(path)]);
});

test('a wait that is no number is told the model', async () => {
  const wait = { toString: 1, valueOf: 1 };
  const result = await callTool(
    server.url,
    'runs_start',
    { flowId: 1, wait },
    { token: owner.token },
  );
  expect(result.isError).toBe(true);
});
