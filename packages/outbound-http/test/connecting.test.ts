import type { LookupAddress } from 'node:dns';
import { clientFor, closeAll, listen, listenRaw, until } from './servers.ts';

afterEach(closeAll);

const CALLS = 50;
const isAborted = { status: 'rejected', reason: expect.objectContaining({ kind: 'ABORTED' }) };
const ALL_ABORTED = Array.from({ length: CALLS }, () => expect.objectContaining(isAborted));

test.each([
  ['in the TLS handshake', 'https'],
  ['after the connection is made', 'http'],
])('given-up calls close their connections to a server that is silent %s', async (_, scheme) => {
  const server = await listenRaw((socket) => socket.resume());
  const client = clientFor([server]);
  const controller = new AbortController();
  const { signal } = controller;
  const url = `${scheme}://127.0.0.1:${server.port}/`;
  const calls = Array.from({ length: CALLS }, () =>
    client.send({ method: 'GET', url, timeoutMs: 60_000, signal }),
  );
  await until(() => server.open.size === CALLS);
  controller.abort();
  expect(await Promise.allSettled(calls)).toEqual(ALL_ABORTED);
  await until(() => server.open.size === 0);
});

test('a closed client closes the connections that are being made', async () => {
  const server = await listenRaw((socket) => socket.resume());
  const client = clientFor([server]);
  const url = `https://127.0.0.1:${server.port}/`;
  const calls = Array.from({ length: CALLS }, () =>
    client.send({ method: 'GET', url, timeoutMs: 60_000 }),
  );
  await until(() => server.open.size === CALLS);
  const ends = Promise.allSettled(calls);
  await client.close();
  expect(await ends).toEqual(ALL_ABORTED);
  await until(() => server.open.size === 0);
});

test('a name that is resolved after its calls were given up is not connected to', async () => {
  const server = await listen((_req, res) => res.end());
  const resolved = Promise.withResolvers<LookupAddress[]>();
  const resolve = () => resolved.promise;
  const client = clientFor([server], { allow: [`slow.example:${server.port}`], resolve });
  const controller = new AbortController();
  const { signal } = controller;
  const request = {
    method: 'GET',
    url: `http://slow.example:${server.port}/`,
    timeoutMs: 60_000,
  };
  const calls = Array.from({ length: CALLS }, () => client.send({ ...request, signal }));
  const live = client.send(request);
  controller.abort();
  expect(await Promise.allSettled(calls)).toEqual(ALL_ABORTED);
  resolved.resolve([{ address: '127.0.0.1', family: 4 }]);
  expect(await live).toMatchObject({ status: 200 });
  expect(server.connections).toBe(1);
});
