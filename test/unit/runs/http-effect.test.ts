import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpEffect } from '@workspace-automation/flow-language';
import { createOutboundClient, type OutboundClient } from '@workspace-automation/outbound-http';
import { outboundCall } from '../../../services/runs/engine/execution/effects/http.ts';

const seen: IncomingHttpHeaders[] = [];
const server = createServer((request, response) => {
  seen.push(request.headers);
  const { port } = server.address() as AddressInfo;
  const location = `http://localhost:${port}/next`; // another origin
  if (request.url === '/away') response.writeHead(308, { location });
  response.end();
});
let client: OutboundClient;
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  client = createOutboundClient({
    allow: ['127.0.0.0/8'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
});
beforeEach(() => seen.splice(0));
afterAll(async () => {
  await client.close();
  server.close();
});

function call(path: string, headers: HttpEffect['headers']) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const effect = { kind: 'call-http', method: 'POST', url, headers, body: null, output: 'content' };
  return outboundCall(client, effect as HttpEffect, {
    idempotencyKey: '7/do/0/a//1',
    deadline: Date.now() + 60_000,
    longestMs: 60_000,
    signal: new AbortController().signal,
  });
}

test('a redirected call keeps what makes its repeat known, and nothing that the flow gave', async () => {
  expect(await call('/away', { authorization: 'secret' })).toMatchObject({ kind: 'succeeded' });
  expect(seen.map((headers) => headers['idempotency-key'])).toEqual(['7/do/0/a//1', '7/do/0/a//1']);
  expect(seen.map(({ authorization }) => authorization)).toEqual(['secret', undefined]);
});

test.each([
  ['idempotency-key', 'mine', 'idempotency-key'],
  ['host', 'evil', 'host'],
  ['x-a', 'a\r\nx-b: c', 'x-a'],
  ['a b', '1', 'a b'],
])('a flow may not set the header %s to %j', async (name, value, named) => {
  expect(await call('/', { [name]: value })).toMatchObject({
    kind: 'failed',
    problem: { title: 'EXPRESSION_FAILED', detail: expect.stringContaining(named) },
  });
  expect(seen).toEqual([]);
});

test('a flow may name the trace itself', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await call('/', { traceparent });
  expect(seen[0]?.traceparent).toBe(traceparent);
});
