import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpEffect, Task } from '@workspace-automation/flow-language';
import {
  createOutboundClient,
  type OutboundClient,
  OutboundError,
} from '@workspace-automation/outbound-http';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { Exchange } from '../../../services/runs/engine/execution/effects/exchange.ts';
import { sendHttpRequest } from '../../../services/runs/engine/execution/effects/http.ts';
import { EarlierSecrets } from '../../../services/runs/engine/execution/journal/earlier-secrets.ts';
import { RunSecrets } from '../../../services/runs/engine/execution/run-secrets.ts';
import { Mailbox } from '../../../services/runs/engine/mailbox/mailbox.ts';
import { noConnections, noJobChildren, noServices, noTurns } from './engine.ts';

const callTask: Task = {
  kind: 'call-http',
  name: 'call',
  path: '/do/0/call',
  method: 'POST',
  endpoint: { kind: 'uri-template', template: 'http://x.test/' },
  output: 'content',
};
const given = {
  run: { _id: 7, workspaceId: 1, flowId: 1 },
  secrets: new RunSecrets(1, new EarlierSecrets(), noConnections),
  children: noJobChildren,
  answers: noTurns,
  mailbox: new Mailbox({ _id: 1 }),
  key: 'key',
  exchange: new Exchange(),
  begin: async () => undefined,
};
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
  const at = performance.now();
  databaseClock.add({ time: new Date(), sentAt: at, receivedAt: at });
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
  return sendHttpRequest(effect as HttpEffect, {
    task: callTask,
    ...given,
    tools: { outbound: client, ...noServices },
    idempotencyKey: '7/do/0/a//1',
    effectKey: '7/do/0/a//1',
    deadline: Date.now() + 60_000,
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

describe('a call', () => {
  const asked: number[] = [];
  const silent: OutboundClient = {
    async send({ timeoutMs }) {
      asked.push(timeoutMs);
      throw new OutboundError('TIMEOUT', 'too long');
    },
    close: async () => undefined,
  };
  const effect = { kind: 'call-http', method: 'GET', url: 'http://x.test/', headers: {} } as const;
  const endOf = (deadline: number, timeoutMs = 0) =>
    sendHttpRequest(
      { ...effect, body: null, output: 'content' },
      {
        task: { ...callTask, timeoutMs },
        ...given,
        tools: { outbound: silent, ...noServices },
        idempotencyKey: 'key',
        effectKey: 'key',
        deadline,
        signal: new AbortController().signal,
      },
    );

  test('takes a minute at most, or as long as its task may, up to ten', async () => {
    const hours = Date.now() + 3_600_000;
    const problem = { status: 408, title: 'TASK_TIMEOUT' };
    expect(await endOf(hours)).toMatchObject({ kind: 'failed', problem });
    await endOf(hours, 120_000);
    await endOf(hours, 3_000_000);
    expect(asked).toEqual([60_000, 120_000, 600_000]);
  });

  test('that meets the deadline of its task or run first is timed out by that', async () => {
    expect(await endOf(Date.now() + 5_000)).toEqual({ kind: 'timed-out' });
  });
});
