import { randomBytes } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { clientFor, closeAll, listen, listenRaw, type TestServer, until } from './servers.ts';

afterEach(closeAll);

const get = (url: string) => ({ method: 'GET', url, timeoutMs: 5_000 });
const encoded = (encoding: string, body: Buffer): Promise<TestServer> =>
  listen((_req, res) => res.setHeader('content-encoding', encoding).end(body));
/** The parameters of Brotli for the least time. */
const FASTEST = { [constants.BROTLI_PARAM_QUALITY]: 0 };

test.each([
  ['gzip', gzipSync('text')],
  ['x-gzip', gzipSync('text')],
  ['deflate', deflateSync('text')],
  ['deflate', deflateRawSync('text')],
  ['br', brotliCompressSync('text')],
  ['identity', Buffer.from('text')],
])('unpacks %s', async (encoding, packed) => {
  const server = await encoded(encoding, packed);
  const answer = await clientFor([server]).send(get(server.url));
  expect(Buffer.from(answer.body).toString()).toBe('text');
  expect(answer.headers['content-encoding']).toBe(encoding === 'identity' ? encoding : undefined);
});

test('unpacks a body that comes faster than its decoder works', async () => {
  const text = randomBytes(4 * 1024 * 1024).toString('base64');
  const server = await encoded('br', brotliCompressSync(text, { params: FASTEST }));
  const answer = await clientFor([server]).send({ ...get(server.url), maxBytes: text.length });
  expect(Buffer.from(answer.body).toString() === text).toBe(true);
});

const ZEROES = Buffer.alloc(64 * 1024 * 1024);
test.each([
  ['gzip', gzipSync(ZEROES)],
  ['deflate', deflateSync(ZEROES)],
  ['br', brotliCompressSync(ZEROES)],
])('stops unpacking a bomb in %s at the limit', async (encoding, bomb) => {
  const server = await encoded(encoding, bomb);
  const before = process.memoryUsage().rss;
  await expect(clientFor([server]).send(get(server.url))).rejects.toMatchObject({
    kind: 'TOO_LARGE',
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
});

/** A server whose answer goes on for ever, and unpacks to nothing. */
function endlessNothing(): Promise<TestServer> {
  const nothing = Buffer.concat(Array(10_000).fill(gzipSync('')));
  return listen((_req, res) => {
    res.setHeader('content-encoding', 'gzip');
    const more = (): boolean => res.write(nothing);
    res.on('drain', more);
    more();
  });
}

test('counts what unpacks to nothing as well', async () => {
  const server = await endlessNothing();
  const sent = clientFor([server]).send({ ...get(server.url), maxBytes: 100 });
  await expect(sent).rejects.toMatchObject({ kind: 'TOO_LARGE' });
  await until(() => server.open.size === 0);
});

test('an encoding that is unknown or broken is a failed connection', async () => {
  for (const [encoding, body] of [
    ['zstd', 'x'],
    ['gzip, br', 'x'],
    ['gzip', 'not gzip'],
    ['br', 'not brotli at all'],
    ['gzip', gzipSync('whole text').subarray(0, 15)],
  ] as const) {
    const server = await encoded(encoding, Buffer.from(body));
    const sent = clientFor([server]).send(get(server.url));
    await expect(sent).rejects.toMatchObject({ kind: 'CONNECTION_FAILED' });
  }
});

const RANDOM = randomBytes(512 * 1024).toString('base64');
test.each([
  ['a body that is long encoded', 'gzip', gzipSync(RANDOM), RANDOM.slice(0, 100)],
  ['a bomb', 'gzip', gzipSync(ZEROES), '\0'.repeat(100)],
  ['an encoding that breaks off', 'gzip', gzipSync('text').subarray(0, 15), 'text'],
  ['a broken encoding', 'gzip', Buffer.from('not gzip'), ''],
  ['an unknown encoding', 'zstd', Buffer.from('x'), ''],
])('with `truncate`, %s is cut', async (_name, encoding, body, text) => {
  const server = await encoded(encoding, body);
  const sent = { ...get(server.url), maxBytes: 100, truncate: true };
  const answer = await clientFor([server]).send(sent);
  expect(answer).toMatchObject({ status: 200, truncated: true });
  expect(Buffer.from(answer.body).toString()).toBe(text);
});

test('with `truncate`, what unpacks to nothing for ever is cut', async () => {
  const server = await endlessNothing();
  const sent = { ...get(server.url), maxBytes: 100, truncate: true };
  const answer = await clientFor([server]).send(sent);
  expect(answer).toMatchObject({ status: 200, truncated: true, body: Buffer.alloc(0) });
  await until(() => server.open.size === 0);
});

test('an answer without a body may name an encoding', async () => {
  const server = await encoded('gzip', gzipSync('text'));
  const answer = await clientFor([server]).send({ ...get(server.url), method: 'HEAD' });
  expect(answer).toMatchObject({ status: 200, body: Buffer.alloc(0) });
});

test('a body of the limit passes, one byte more does not, or is cut off', async () => {
  const server = await listen((req, res) => res.end(Buffer.alloc(Number(req.url?.slice(1)), 'x')));
  const client = clientFor([server]);
  const ask = (bytes: number, truncate = false) =>
    client.send({ ...get(`${server.url}/${bytes}`), maxBytes: 100, truncate });
  expect((await ask(100)).body.length).toBe(100);
  await expect(ask(101)).rejects.toMatchObject({
    kind: 'TOO_LARGE',
    message: 'The body has more than 100 bytes.',
  });
  expect(await ask(100, true)).toMatchObject({ truncated: false });
  const cut = await ask(101, true);
  expect(cut).toMatchObject({ truncated: true });
  expect(cut.body.length).toBe(100);
});

test('an endless body ends the connection at the limit', async () => {
  const server = await listen((_req, res) => {
    const more = (): boolean => res.write(Buffer.alloc(64 * 1024));
    res.on('drain', more);
    more();
  });
  await expect(clientFor([server]).send(get(server.url))).rejects.toMatchObject({
    kind: 'TOO_LARGE',
  });
  await until(() => server.open.size === 0);
});

test.each(['headers', 'body', 'slow body'])('gives up on missing %s in time', async (missing) => {
  const server = await listen((_req, res) => {
    if (missing === 'headers') return;
    res.write('a');
    if (missing === 'slow body') {
      const drip = setInterval(() => res.write('a'), 20);
      res.on('close', () => clearInterval(drip));
    }
  });
  const sent = clientFor([server]).send({ ...get(server.url), timeoutMs: 200 });
  await expect(sent).rejects.toMatchObject({ kind: 'TIMEOUT' });
  await until(() => server.open.size === 0);
});

test('gives up in time on a name that is not resolved, and does not send the request later', async () => {
  const server = await listen((_req, res) => res.end());
  const resolved = Promise.withResolvers<LookupAddress[]>();
  const resolve = () => resolved.promise;
  const client = clientFor([server], { allow: [`slow.example:${server.port}`], resolve });
  const url = `http://slow.example:${server.port}/`;
  await expect(client.send({ ...get(url), timeoutMs: 100 })).rejects.toMatchObject({
    kind: 'TIMEOUT',
  });
  resolved.resolve([{ address: '127.0.0.1', family: 4 }]);
  expect(await client.send(get(url))).toMatchObject({ status: 200 });
  expect(server.requests).toHaveLength(1);
});

test('gives up in time on a server that is silent in the TLS handshake', async () => {
  const server = await listenRaw(() => undefined);
  const url = `https://127.0.0.1:${server.port}/`;
  const sent = clientFor([server]).send({ ...get(url), timeoutMs: 200 });
  await expect(sent).rejects.toMatchObject({ kind: 'TIMEOUT' });
});

test('the time is for all redirections together', async () => {
  const server = await listen(async (_req, res) => {
    await sleep(150);
    res.writeHead(302, { location: '/again' }).end();
  });
  const sent = clientFor([server]).send({ ...get(server.url), timeoutMs: 300 });
  await expect(sent).rejects.toMatchObject({ kind: 'TIMEOUT' });
});

test('a signal closes the connection at once', async () => {
  const server = await listen((_req, res) => void res.write('a'));
  const controller = new AbortController();
  const sent = clientFor([server]).send({ ...get(server.url), signal: controller.signal });
  await until(() => server.requests.length === 1);
  controller.abort();
  await expect(sent).rejects.toMatchObject({ kind: 'ABORTED' });
  await until(() => server.open.size === 0);
  const again = clientFor([server]).send({ ...get(server.url), signal: controller.signal });
  await expect(again).rejects.toMatchObject({ kind: 'ABORTED' });
  expect(server.connections).toBe(1);
});

test('closing the client ends what is under way', async () => {
  const server = await listen(() => undefined);
  const client = clientFor([server]);
  const sent = client.send(get(server.url));
  await Promise.all([
    expect(sent).rejects.toMatchObject({ kind: 'ABORTED' }),
    until(() => server.requests.length === 1).then(() => client.close()),
  ]);
  await expect(client.send(get(server.url))).rejects.toMatchObject({ kind: 'ABORTED' });
});

test('says who did not answer in HTTP, who refused, and no more', async () => {
  const server = await listenRaw((socket) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
  const client = clientFor([server], { allow: [`127.0.0.1:${server.port}`, '127.0.0.1:1'] });
  await expect(client.send(get(server.url))).rejects.toMatchObject({
    kind: 'CONNECTION_FAILED',
    message: `127.0.0.1:${server.port} did not answer in HTTP.`,
  });
  await expect(client.send(get('http://127.0.0.1:1/'))).rejects.toMatchObject({
    kind: 'CONNECTION_FAILED',
    message: '127.0.0.1:1 refused the connection.',
  });
});

test('interim answers without end are a failed connection', async () => {
  const server = await listenRaw((socket) => {
    socket.resume(); // so that it sees the end of the connection
    const interim = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20);
    const timer = setInterval(() => socket.write(interim), 1);
    socket.on('close', () => clearInterval(timer));
  });
  await expect(clientFor([server]).send(get(server.url))).rejects.toMatchObject({
    kind: 'CONNECTION_FAILED',
    message: 'The server sent more than 100 interim answers.',
  });
  await until(() => server.open.size === 0);
});

test('more than 1,000 headers are too large', async () => {
  const server = await listen((req, res) => {
    const count = req.url === '/few' ? 900 : 1_001;
    for (let n = 0; n < count; n++) res.setHeader(`x-${n}`, 'y');
    res.end();
  });
  const client = clientFor([server]);
  expect(await client.send(get(`${server.url}/few`))).toMatchObject({ status: 200 });
  await expect(client.send(get(server.url))).rejects.toMatchObject({ kind: 'TOO_LARGE' });
});

test('headers without end are too large', async () => {
  const server = await listenRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let line = 0; line < 100; line++) socket.write(`x-${line}: ${'y'.repeat(1_000)}\r\n`);
  });
  await expect(clientFor([server]).send(get(server.url))).rejects.toMatchObject({
    kind: 'TOO_LARGE',
  });
});
