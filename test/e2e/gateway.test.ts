import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { readGitCommit } from '../../environment/git-commit.ts';
import { e2e } from '../fixtures/e2e.ts';
import { type ProblemBody, type RequestOptions, request } from '../helpers/http.ts';
import { register } from '../helpers/people.ts';
import { sendRaw } from '../helpers/raw-http.ts';
import { startServer } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

const { server, owner, workspace } = e2e({ env: { CORS_ORIGINS: 'https://app.example' } });

const call = <T = ProblemBody>(method: string, path: string, options = {}) =>
  request<T>(server.url, method, path, options);

const ROOT = join(import.meta.dirname, '../..');

const raw = (text: string) => sendRaw(server.url, text);

describe('a path', () => {
  it.each([
    '/nope',
    '/workspaces/',
    '/Workspaces',
    '/health/live/',
    '/HEALTH/live',
    '//health/live',
  ])('that is not exactly one of ours is 404: %s', async (path) => {
    const { status, body, headers } = await call('GET', path, { token: owner.token });
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(body).toMatchObject({
      type: 'urn:problem:not-found',
      status: 404,
      code: 'NOT_FOUND',
      instance: headers['x-request-id'],
    });
  });

  it('with an empty part is told so, as a variable without a value makes one', async () => {
    expect((await call('POST', '/flows//runs')).body.detail).toMatch(/a part of it is empty/);
    expect((await call('POST', '/flow/runs')).body.detail).toBe('There is nothing at this path.');
  });

  it('is 404 before anybody is asked for a token', async () => {
    expect((await call('GET', '/nope')).status).toBe(404);
  });

  it('takes an id as plain digits only: %37 is none', async () => {
    const { status, body } = await owner.call<ProblemBody>('GET', '/workspaces/%37');
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ in: 'path', path: 'id' })]);
  });
});

describe('a method', () => {
  it('that the path does not have is 405 with Allow', async () => {
    const { status, headers, body } = await call('DELETE', '/health/live');
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(body.code).toBe('METHOD_NOT_ALLOWED');
  });

  it('is 405 where a literal segment beats a parameter', async () => {
    const { status, headers } = await call('GET', '/flows/validate', { token: owner.token });
    expect(status).toBe(405);
    expect(headers.allow).toBe('POST, OPTIONS');
  });

  it('HEAD is GET without the body', async () => {
    const { status, text, headers } = await call('HEAD', '/health/live');
    expect([status, text]).toEqual([200, '']);
    expect(headers['content-type']).toMatch('application/json');
  });

  it('OPTIONS runs nothing, whatever it asks for', async () => {
    const path = workspace.issues;
    const { status, headers, text } = await call('OPTIONS', path, {
      token: owner.token,
      headers: { 'access-control-request-method': 'POST', origin: 'https://app.example' },
      body: { title: 'made by a preflight', description: '' },
    });
    expect([status, text]).toEqual([204, '']);
    expect(headers.allow).toBe('GET, POST, HEAD, OPTIONS');
    const { body } = await owner.call<unknown[]>('GET', path);
    expect(body).toEqual([]);
  });
});

describe('other origins', () => {
  it('that are listed may read the answer', async () => {
    const { headers } = await call('GET', '/health/live', {
      headers: { origin: 'https://app.example' },
    });
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
  });

  it.each(['https://app.exampl', 'https://app.example.evil', 'http://app.example', 'null'])(
    'that are not, may not: %s',
    async (origin) => {
      const { headers, status } = await call('GET', '/health/live', { headers: { origin } });
      expect(status).toBe(200);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});

describe('the order of checks', () => {
  const path = () => workspace.issues;

  it('asks for the token before it looks at the body', async () => {
    const { status, headers } = await call('POST', path(), {
      raw: '{broken',
      headers: { 'content-type': 'text/plain' },
    });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it('refuses a token that is none, also where the path has faults', async () => {
    const { status } = await call('GET', '/workspaces/0', { token: 'abc.def.ghi' });
    expect(status).toBe(401);
  });

  it('refuses body and ids before it says whether the workspace exists', async () => {
    const media = { raw: 'x', headers: { 'content-type': 'text/plain' } };
    expect((await owner.call('POST', '/workspaces/999999/issues', media)).status).toBe(415);
    expect((await owner.call('GET', '/workspaces/999999/issues/0')).status).toBe(400);
  });

  it('says 404 of a workspace before it validates the rest', async () => {
    const { status } = await owner.call('POST', '/workspaces/999999/issues', { body: { nope: 1 } });
    expect(status).toBe(404);
  });
});

describe('a request id', () => {
  it('that is sane is kept', async () => {
    const { headers } = await call('GET', '/health/live', {
      headers: { 'x-request-id': 'my-id.1' },
    });
    expect(headers['x-request-id']).toBe('my-id.1');
  });

  it.each(['', 'x'.repeat(65), 'a b', '"', 'a,b', 'é', '../x', '$where'])(
    'that is not, is replaced: %p',
    async (id) => {
      const { headers } = await call('GET', '/health/live', { headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('is on failures of the router as well', async () => {
    const { headers, body } = await call('GET', '/nope', { headers: { 'x-request-id': 'lost-1' } });
    expect([headers['x-request-id'], body.instance]).toEqual(['lost-1', 'lost-1']);
  });
});

describe('each value counts only in its own place', () => {
  it('a query does not stand in for a body field', async () => {
    const { status, body } = await owner.call<ProblemBody>('POST', workspace.issues, {
      query: { title: 'from the query' },
      body: { description: '' },
    });
    expect(status).toBe(400);
    expect(body.errors?.map(({ in: place, path, code }) => [place, path, code])).toEqual([
      ['query', 'title', 'unknown_field'],
      ['body', 'title', 'required'],
    ]);
  });

  describe('a value in another place is told where it belongs', () => {
    const NO_PLACE = 'is not a field of this request';
    it.each<[string, string, string, RequestOptions, string[]]>([
      [
        'a parameter of the query that is missing',
        'POST',
        '/workspaces',
        { body: { name: 'Engines' } },
        ['query name: is required, as a parameter of the query: POST /workspaces?name=…'],
      ],
      [
        'an id of the query that is missing',
        'PUT',
        '/configurations/main/archive',
        {},
        [
          'query workspaceId: is required, as a parameter of the query: PUT /configurations/{externalId}/archive?workspaceId=…',
        ],
      ],
      [
        'a field of the body in the query',
        'POST',
        '/flows/validate?content=x',
        { body: { content: 'do: []' } },
        ['query content: is not read from the query, but from the body'],
      ],
      [
        'a field that the body does not have',
        'POST',
        '/flows/validate',
        { body: { content: 'do: []', contents: 'do: []' } },
        [`body contents: ${NO_PLACE}; the body has: content`],
      ],
      [
        'a name that no place has',
        'GET',
        '/workspaces?__proto__=x&nme=x',
        {},
        [`query __proto__: ${NO_PLACE}`, `query nme: ${NO_PLACE}`],
      ],
    ])('%s', async (_, method, path, options, expected) => {
      const { status, body } = await owner.call<ProblemBody>(method, path, options);
      const told = body.errors?.map((one) => `${one.in} ${one.path}: ${one.message}`);
      expect({ status, told }).toEqual({ status: 400, told: expected });
    });

    it('a parameter of the query in the body, and the identifier of the path in the query', async () => {
      const flow = await workspace.flow('do: []\n');
      const path = `/flows/${flow}/runs?flowId=${flow}`;
      const { body } = await owner.call<ProblemBody>('POST', path, { body: { wait: 5 } });
      expect(body.errors?.map((one) => one.message)).toEqual([
        'is not read from the query, but from the path',
        'is not read from the body, but from the query: POST /flows/{flowId}/runs?wait=…',
      ]);
    });
  });

  it('a body that is not JSON is told the place of the mistake', async () => {
    const { status, body } = await owner.call<ProblemBody>('POST', '/flows/validate', {
      raw: '{"content":,\n"name":"x"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([status, body.code]).toEqual([400, 'MALFORMED_BODY']);
    expect(body.detail).toMatch(/mistake is at line 1, column 12\.$/);
  });

  it('where no body belongs none is read', async () => {
    const { status } = await owner.call('GET', workspace.path, {
      raw: '{broken',
      headers: { 'content-type': 'text/plain' },
    });
    expect(status).toBe(200);
  });
});

describe('the log', () => {
  it('has one line a request, without token, key or query', async () => {
    const id = 'logged-once';
    await owner.call('GET', '/workspaces', {
      query: { api_key: 'wsk_secret' },
      headers: { 'x-request-id': id },
    });
    const lines = await waitFor('the line', () => {
      const found = server.logLines().filter(({ requestId }) => requestId === id);
      return found.length > 0 && found;
    });
    expect(lines).toEqual([
      expect.objectContaining({
        method: 'GET',
        route: '/workspaces',
        status: 400,
        caller: `user:${owner.id}`,
      }),
    ]);
    expect(server.output()).not.toContain('wsk_secret');
    expect(server.output()).not.toContain(owner.token);
  });
});

describe('the log of a refused refresh', () => {
  it('has whose the token was, and the answer has not', async () => {
    const { id, refreshToken } = await register(server.url);
    await call('POST', '/auth/sign-out', { body: { refreshToken } });
    const headers = { 'x-request-id': 'refused-refresh' };
    const refused = await call('POST', '/auth/refresh', { body: { refreshToken }, headers });
    expect(refused.status).toBe(401);
    expect(refused.text).not.toMatch(/principal|user:/);
    const line = await waitFor('the line', () =>
      server.logLines().find(({ requestId }) => requestId === 'refused-refresh'),
    );
    expect(line).toMatchObject({ status: 401, caller: `user:${id}`, address: '127.0.0.1' });
    expect(server.output()).not.toContain(refreshToken);
  });

  it('has nobody where the token is none', async () => {
    const headers = { 'x-request-id': 'unknown-refresh' };
    await call('POST', '/auth/refresh', { body: { refreshToken: 'x' }, headers });
    const line = await waitFor('the line', () =>
      server.logLines().find(({ requestId }) => requestId === 'unknown-refresh'),
    );
    expect(line).not.toHaveProperty('caller');
  });
});

describe('what is no request at all', () => {
  it.each([
    ['a line that is none', 'FOO BAR BAZ\r\n\r\n', 400],
    [
      'two lengths',
      'POST /auth/sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
    ],
    [
      'two hosts',
      'GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['no host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405],
    [
      'a length of a chunk that is none',
      'POST /auth/sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      400,
    ],
    [
      'a stream of another type',
      'POST /auth/sign-in HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\nx\r\n0\r\n\r\n',
      415,
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['an odd expectation', 'GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n', 417],
  ])('gets a problem like everything else: %s', async (_what, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/content-type: application\/problem\+json/i);
    expect(answer).toMatch(/x-request-id: [\w-]{36}/i);
  });

  it.each(['http://localhost/health/live', 'HTTP://any.example:80/health/live'])(
    'unlike a target in absolute form: %s',
    async (target) => {
      const text = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
      expect(await raw(text)).toMatch(/^HTTP\/1.1 200 /);
    },
  );

  it.each(['*health/live', '*', 'health/live'])('and %s is no path', async (target) => {
    const text = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    expect(await raw(text)).toMatch(/^HTTP\/1.1 40[04] /);
  });
});

it('a connection that was answered so is closed, whether its client closes it or not', async () => {
  for (const text of ['FOO BAR\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n']) {
    const socket = connect({
      port: Number(new URL(server.url).port),
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    socket.write(text);
    socket.resume();
    await once(socket, 'end');
    const left = once(socket, 'error'); // a write to what is closed
    const writing = setInterval(() => socket.write('x'), 50);
    await left;
    clearInterval(writing);
    socket.destroy();
  }
});

describe('what is broken behind a good request on the same connection', () => {
  const live = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
  const broken = 'POST /auth/sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  const chunk = 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n';

  it.each([
    ['a line that is none', `${live}${live}FOO BAR BAZ\r\n\r\n`],
    ['a body', `${live}${live}${broken}${chunk}`],
  ])('is answered after it: %s', async (_what, text) => {
    const answer = await raw(text);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 400',
    ]);
    expect(answer.match(/x-request-id/gi)).toHaveLength(3);
  });
});

describe('an empty body that was announced as a stream', () => {
  const empty = { headers: { 'transfer-encoding': 'chunked' } };

  it('is none: it is missing where one is needed', async () => {
    const { status, body } = await call('POST', '/auth/sign-in', empty);
    expect([status, body.code, body.errors]).toEqual([
      400,
      'INVALID_REQUEST',
      [expect.objectContaining({ path: '', code: 'required' })],
    ]);
  });

  it('is none: it is not missed where none is needed, whatever its type', async () => {
    for (const type of ['application/json', 'text/plain']) {
      const options = { headers: { ...empty.headers, 'content-type': type } };
      expect((await owner.call('POST', '/flows/4711/runs', options)).status).toBe(404);
    }
  });
});

describe('a hostile body', () => {
  it('is answered briefly, however much is wrong with it', async () => {
    const key = 'k'.repeat(120_000);
    const body = { [key]: Array.from({ length: 1_000 }, () => '\0') };
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`f${n}`, 1]));
    for (const hostile of [body, many]) {
      const { status, text } = await owner.call('POST', '/flows/validate', { body: hostile });
      expect(status).toBe(400);
      expect(text.length).toBeLessThan(40_000);
    }
  });

  it.each([
    `application/json${' '.repeat(15_000)}x`,
    'application/json; charset=utf-16',
    'application/jsonx',
    'text/json',
    '',
  ])('of another type is 415', async (type) => {
    const headers = { 'content-type': type };
    expect((await call('POST', '/auth/sign-in', { raw: '{}', headers })).status).toBe(415);
  });

  it('that nobody reads ends its connection', async () => {
    const { headers } = await owner.call('GET', '/workspaces', {
      raw: 'x'.repeat(1_000_000),
    });
    expect(headers.connection).toBe('close');
  });
});

describe('health', () => {
  it('says which version and commit runs', async () => {
    const { body } = await call<{ status: string }>('GET', '/health/live');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    // a source archive has no commit
    const commit = readGitCommit(ROOT) ?? 'unknown';
    expect(body).toEqual({ status: 'up', version, commit });
    expect((await call('GET', '/health/ready')).body).toMatchObject({ ...body });
  });

  it('is ready when every dependency is', async () => {
    const { status, body } = await call<{ status: string; dependencies: Record<string, string> }>(
      'GET',
      '/health/ready',
    );
    expect(status).toBe(200);
    expect(new Set(Object.values(body.dependencies))).toEqual(new Set(['up']));
    expect(Object.keys(body.dependencies)).toEqual(
      expect.arrayContaining(['database', 'issues', 'runs']),
    );
  });
});

describe('SIGTERM while keep-alive clients are busy', () => {
  it('ends the process in time, with exit code 0 and without a failed request', async () => {
    const stopping = await startServer();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
    const answers: number[] = [];
    let failed = 0;
    let ended = false;
    const client = async () => {
      while (!ended) {
        try {
          answers.push(await getLive(stopping.url, agent));
        } catch (error) {
          if (isRefused(error)) return; // the port is closed: a new connection is another server's
          failed++;
        }
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await waitFor('traffic', () => answers.length > 200);
    const code = await stopping.stop();
    ended = true;
    await Promise.all(clients);
    agent.destroy();
    expect(code).toBe(0);
    expect(failed).toBe(0);
    expect(new Set(answers)).toEqual(new Set([200]));
  });
});

const isRefused = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';

function getLive(base: string, agent: http.Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    http
      .get(`${base}/health/live`, { agent }, (res) => {
        res.resume().on('end', () => resolve(res.statusCode ?? 0));
      })
      .on('error', reject);
  });
}
