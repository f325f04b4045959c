import { clientFor, closeAll, listen } from './servers.ts';

afterEach(closeAll);

/** Requests at once. */
const AT_ONCE = 50;

test('calls to ever more servers leave 512 idle connections at most', async () => {
  let most = 0;
  const server = await listen((_, res) => {
    most = Math.max(most, server.open.size);
    res.end('{}');
  });
  const client = clientFor([], {
    allow: ['127.0.0.0/8'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const call = (host: number) =>
    client.send({
      method: 'GET',
      url: `http://host${host}.test:${server.port}/`,
      timeoutMs: 10_000,
    });
  for (let from = 0; from < 800; from += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => call(from + at)));
  }
  expect(most).toBeLessThanOrEqual(512 + AT_ONCE);
  expect(server.requests).toHaveLength(800);
});
