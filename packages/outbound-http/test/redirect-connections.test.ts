import type { ServerResponse } from 'node:http';
import { clientFor, closeAll, listen, until } from './servers.ts';

afterEach(closeAll);

const CALLS = 20;
const KIB = 1024;
/** Sends a redirected call `CALLS` times, one after another, and returns the number of connections. */
async function countConnections(redirect: (res: ServerResponse) => void): Promise<number> {
  const server = await listen((req, res) => {
    if (req.url === '/next') res.end('here');
    else redirect(res.writeHead(302, { location: '/next' }));
  });
  const client = clientFor([server]);
  for (let call = 0; call < CALLS; call++) {
    const answer = await client.send({ method: 'GET', url: server.url, timeoutMs: 60_000 });
    expect(Buffer.from(answer.body).toString()).toBe('here');
  }
  return server.connections;
}

test.each([
  ['no body', (res: ServerResponse) => res.end()],
  ['a small body', (res: ServerResponse) => res.end('elsewhere')],
  [
    'a small body in chunks',
    (res: ServerResponse) => {
      res.write('else');
      res.end('where');
    },
  ],
])('the connection of a redirection with %s is used again', async (_, redirect) => {
  // The hop that follows at once has a second connection, because the first one is free in the next turn only.
  expect(await countConnections(redirect)).toBeLessThanOrEqual(2);
});

test('the connection of a redirection with a long Content-Length is closed', async () => {
  const body = Buffer.alloc(17 * KIB);
  const redirect = (res: ServerResponse) => res.end(body);
  expect(await countConnections(redirect)).toBe(CALLS + 1);
});

const ENDLESS: [string, (res: ServerResponse) => void][] = [
  ['is too long', (res) => void res.write(Buffer.alloc(17 * KIB))],
  ['does not end', (res) => void res.write('elsewhere')],
];
test.each(ENDLESS)('the connection of a redirection whose body %s is closed', async (_, write) => {
  const server = await listen((req, res) => {
    if (req.url === '/next') res.setHeader('connection', 'close').end('here');
    else write(res.writeHead(302, { location: '/next' }));
  });
  const sent = clientFor([server]).send({ method: 'GET', url: server.url, timeoutMs: 60_000 });
  expect(await sent).toMatchObject({ status: 200, url: `${server.url}/next` });
  await until(() => server.open.size === 0);
});
