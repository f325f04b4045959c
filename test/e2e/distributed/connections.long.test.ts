import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { e2e } from '../../fixtures/e2e.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import { startRun } from '../../helpers/runs.ts';
import { startServer } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, owner, workspace } = e2e({
  env: { HEADERS_TIMEOUT_MS: '400', REQUEST_TIMEOUT_MS: '900' },
});

/** A connection that sends the text and then waits; what came until it was closed. */
function untilClosed(text: string, { url } = server): { socket: Socket; closed: Promise<string> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)));
  return { socket, closed };
}

const LATE = {
  'a first line': 'GET /health/li',
  headers: 'GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: ',
  'a body': [
    'POST /auth/sign-in HTTP/1.1',
    'Host: a',
    'Content-Type: application/json',
    'Content-Length: 100',
    '\r\n{"email":',
  ].join('\r\n'),
  'a stream': [
    'POST /auth/sign-in HTTP/1.1',
    'Host: a',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    '\r\n4\r\n{"em',
  ].join('\r\n'),
};

describe('a request that does not come whole in time', () => {
  it.each(Object.entries(LATE))(
    'is answered 408 and its connection ended: %s',
    async (_what, text) => {
      const answer = await untilClosed(text).closed;
      expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
      expect(answer).toMatch(/^content-type: application\/problem\+json\r$/im);
      expect(answer).toMatch(/^connection: close\r$/im);
      const [, body = ''] = answer.split('\r\n\r\n');
      const [, id] = /^x-request-id: (\S+)\r$/im.exec(answer) ?? [];
      expect(JSON.parse(body)).toMatchObject({
        code: 'REQUEST_TIMEOUT',
        status: 408,
        instance: id,
      });
    },
  );

  it('has one line in the log, with the address and, once it is known, the route', async () => {
    const id = 'late-body';
    const text = LATE['a body'].replace('Host: a', `Host: a\r\nX-Request-Id: ${id}`);
    await untilClosed(text).closed;
    const lines = await waitFor('the line', () => {
      const found = server.logLines().filter(({ requestId }) => requestId === id);
      return found.length > 0 && found;
    });
    expect(lines).toEqual([
      expect.objectContaining({ status: 408, route: '/auth/sign-in', address: '127.0.0.1' }),
    ]);
  });

  it('does not keep others from theirs, however many there are', async () => {
    const late = Array.from({ length: 300 }, (_, n) =>
      untilClosed(n % 2 ? LATE.headers : LATE['a body']),
    );
    expect((await request(server.url, 'GET', '/health/live')).status).toBe(200);
    const answers = await Promise.all(late.map(({ closed }) => closed));
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 408 '))).toEqual([]);
  });
});

it('ends a connection on which nothing was ever sent, without an answer', async () => {
  expect(await untilClosed('').closed).toBe('');
});

it('does not cut an answer that takes longer than a request may', async () => {
  const flowId = await workspace.flow('do:\n  - rest: { wait: { seconds: 2 } }\n');
  const { status, body } = await startRun(owner, flowId, { wait: 20_000 });
  expect([status, body.status]).toEqual([200, 'SUCCESS']);
});

it('takes MAX_CONNECTIONS connections and closes further ones, until one ends', async () => {
  const small = await startServer({ env: { MAX_CONNECTIONS: '4' } });
  const held = Array.from({ length: 4 }, () => untilClosed('GET /', small));
  await Promise.all(held.map(({ socket }) => once(socket, 'connect')));
  expect(await untilClosed('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', small).closed).toBe('');
  held[0]?.socket.destroy();
  await waitFor('a place', () =>
    request<ProblemBody>(small.url, 'GET', '/health/live').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const line = await waitFor('the line', () =>
    small.logLines().find(({ msg }) => String(msg).startsWith('Connections were refused')),
  );
  expect(line).toMatchObject({ level: 'warn', max: 4 });
});
