import type { Socket } from 'node:net';
import { clientFor, closeAll, listenRaw } from './servers.ts';

afterEach(closeAll);

const HEAD = 'HTTP/1.1 200 OK\r\n';
const LATER_MS = 20;
const writes = (text: string) => (socket: Socket) => void socket.write(text);
const writesAndResets = (text: string) => (socket: Socket) => {
  socket.write(text, 'latin1');
  setTimeout(() => socket.resetAndDestroy(), LATER_MS);
};

/** What a server does with a request, and the status and body, or the kind of error, that the caller gets. */
const CASES: [string, (socket: Socket) => void, string][] = [
  [
    'another protocol',
    writes('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    'CONNECTION_FAILED',
  ],
  ['a body with 204', writes('HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nhello'), '204 '],
  ['a body with 304', writes('HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\nhello'), '304 '],
  [
    'a body that is too short',
    (socket) => void socket.end(`${HEAD}Content-Length: 50\r\n\r\nhello`),
    'CONNECTION_FAILED',
  ],
  ['a body that is too long', writes(`${HEAD}Content-Length: 2\r\n\r\nhello`), '200 he'],
  [
    'a second answer',
    writes(`${HEAD}Content-Length: 2\r\n\r\nok${HEAD}Content-Length: 3\r\n\r\nbad`),
    '200 ok',
  ],
  ['a bad chunk', writes(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`), 'CONNECTION_FAILED'],
  [
    'two lengths',
    writes(`${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
    'CONNECTION_FAILED',
  ],
  [
    'trailers',
    writes(`${HEAD}Transfer-Encoding: chunked\r\nTrailer: x\r\n\r\n2\r\nok\r\n0\r\nx: y\r\n\r\n`),
    '200 ok',
  ],
  ['the end of the connection as length', (socket) => void socket.end(`${HEAD}\r\nok`), '200 ok'],
  ['a reset', (socket) => void socket.resetAndDestroy(), 'CONNECTION_FAILED'],
  [
    'a reset after an interim answer',
    writesAndResets('HTTP/1.1 103 Early\r\nLink: x\r\n\r\n'),
    'CONNECTION_FAILED',
  ],
  [
    'a reset in the body',
    writesAndResets(`${HEAD}Content-Length: 50\r\n\r\nhello`),
    'CONNECTION_FAILED',
  ],
  [
    'a reset in an encoded body',
    writesAndResets(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 50\r\n\r\n\x1f\x8b\x08\x00`),
    'CONNECTION_FAILED',
  ],
  [
    'a redirection with an endless body',
    writes('HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 500\r\n\r\nabc'),
    '200 next',
  ],
  [
    'two places of a redirection',
    writes('HTTP/1.1 302 Found\r\nLocation: /next\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n'),
    '200 next',
  ],
  [
    'a redirection to itself',
    writes('HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 0\r\n\r\n'),
    'CONNECTION_FAILED',
  ],
  ['NUL in a header', writes(`${HEAD}x: a\0b\r\nContent-Length: 0\r\n\r\n`), 'CONNECTION_FAILED'],
  [
    'names of headers that objects have',
    writes(`${HEAD}__proto__: a\r\nconstructor: b\r\nContent-Length: 2\r\n\r\nok`),
    '200 ok',
  ],
  ['a status below 100', writes('HTTP/1.1 99 X\r\nContent-Length: 0\r\n\r\n'), 'CONNECTION_FAILED'],
];

test.each(CASES)('survives %s, and the next call has its own answer', async (_, act, expected) => {
  const server = await listenRaw((socket) => {
    socket.on('data', (bytes) => {
      const isNext = bytes.toString().startsWith('GET /next ');
      if (isNext) socket.write(`${HEAD}Content-Length: 4\r\n\r\nnext`);
      else act(socket);
    });
  });
  const client = clientFor([server]);
  const send = (path: string, body: string | null = null) =>
    client
      .send({ method: body ? 'POST' : 'GET', url: server.url + path, body, timeoutMs: 5_000 })
      .then(
        (answer) => `${answer.status} ${Buffer.from(answer.body)}`,
        ({ kind }: { kind: string }) => kind,
      );
  for (const body of [null, 'x'.repeat(1_000)]) {
    expect(await send('/', body)).toBe(expected);
    expect(await send('/next')).toBe('200 next');
  }
});
