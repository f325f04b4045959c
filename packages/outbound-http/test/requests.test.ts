import { bodyOf, clientFor, closeAll, listen, listenRaw } from './servers.ts';

afterEach(closeAll);

const post = (url: string) => ({ method: 'POST', url, timeoutMs: 5_000 });

test('sends method, path, query, headers and body as they are', async () => {
  let body = '';
  const server = await listen(async (req, res) => {
    body = await bodyOf(req);
    res.writeHead(201, { 'X-One': '1', 'Set-Cookie': ['a=1', 'b=2'] }).end('made');
  });
  const answer = await clientFor([server]).send({
    ...post(`${server.url}/a%20b?c=d&e#fragment`),
    headers: { 'X-Given': 'ü', 'Content-Type': 'text/plain' },
    body: 'grüß',
  });
  expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/a%20b?c=d&e' });
  expect(server.requests[0]?.headers).toMatchObject({
    'x-given': 'ü',
    'content-length': '6',
    'user-agent': 'workspace-automation',
  });
  expect(body).toBe('grüß');
  expect(answer).toMatchObject({
    status: 201,
    headers: { 'x-one': '1', 'set-cookie': 'a=1, b=2' },
    truncated: false,
  });
});

test('bytes arrive as they are, and a status that is not 2xx is an answer', async () => {
  const bytes = new Uint8Array([0, 255, 128, 10]);
  const server = await listen((req, res) => void req.pipe(res.writeHead(500)));
  const answer = await clientFor([server]).send({ ...post(server.url), body: bytes });
  expect(answer.status).toBe(500);
  expect([...answer.body]).toEqual([...bytes]);
});

test('uses connections again', async () => {
  const server = await listen((_req, res) => res.end('hello'));
  const client = clientFor([server]);
  for (let times = 0; times < 10; times++) await client.send(post(server.url));
  expect(server.connections).toBeLessThan(3);
});

describe('100 Continue that nobody asked for', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\n';
  const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\nHTTP/1.1 100 Continue';

  test.each([
    ['once', [CONTINUE + FINAL]],
    ['twice', [CONTINUE, CONTINUE + FINAL]],
    ['in pieces', ['HTTP/1.1 1', '00 Continue\r\n\r', '\nHTTP/1', '.1 100 \r\n\r\n', FINAL]],
  ])('is passed over: %s', async (_, pieces) => {
    const server = await listenRaw((socket) => {
      socket.setNoDelay(true);
      socket.on('data', async () => {
        for (const piece of pieces) {
          await new Promise((sent) => socket.write(piece, sent));
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      });
    });
    const client = clientFor([server]);
    for (let times = 0; times < 5; times++) {
      const { status, body } = await client.send({ ...post(server.url), body: null });
      expect([status, Buffer.from(body).toString()]).toEqual([200, 'HTTP/1.1 100 Continue']);
    }
    expect(server.connections).toBeLessThan(3);
  });
});

test.each([
  ['a line break in a value', { 'X-A': 'a\r\nHost: evil' }],
  ['a line feed in a value', { 'X-A': 'a\nb' }],
  ['NUL in a value', { 'X-A': 'a\0b' }],
  ['a character beyond Latin-1', { 'X-A': '漢' }],
  ['a line break in a name', { 'X-A\r\nB': 'a' }],
  ['an empty name', { '': 'a' }],
  ['one name twice', { 'X-A': 'a', 'x-a': 'b' }],
  ['too many', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, 'a']))],
  ['too much', { 'X-A': 'a'.repeat(33_000) }],
  ...['Host', 'Content-Length', 'Transfer-Encoding', 'connection', 'TE', 'Upgrade', 'Expect'].map(
    (name): [string, Record<string, string>] => [name, { [name]: '1' }],
  ),
])('refuses headers with %s', async (_what, headers) => {
  const server = await listen((_req, res) => res.end());
  const sent = clientFor([server]).send({ ...post(server.url), headers });
  await expect(sent).rejects.toMatchObject({ kind: 'INVALID_REQUEST' });
  expect(server.connections).toBe(0);
});

test.each(['CONNECT', 'TRACE', 'GET /x', 'get\r\n', ''])(
  'refuses the method %j',
  async (method) => {
    const server = await listen((_req, res) => res.end());
    const sent = clientFor([server]).send({ ...post(server.url), method });
    await expect(sent).rejects.toMatchObject({ kind: 'INVALID_REQUEST' });
  },
);
