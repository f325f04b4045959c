import http from 'node:http';
import { e2e } from '../../fixtures/e2e.ts';
import { type RpcAnswer, sendMessage, type ToolCallResult } from '../../helpers/mcp.ts';
import type { RunAnswer } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';

const shortFlow = (id: string) =>
  `do:\n  - rest: { wait: PT2.5S }\n  - done: { set: { id: ${id} } }\n`;
const RESTING = 'do:\n  - rest: { wait: { days: 1 } }\n';
const STREAM = 'application/json, text/event-stream';

const { server, owner, workspace } = e2e({ env: { WAITING_PER_CALLER: '2' } });

const startWith = (flowId: number, wait: number, meta: object = {}) => ({
  jsonrpc: '2.0',
  id: 'start',
  method: 'tools/call',
  params: { name: 'runs_start', arguments: { flowId, wait }, ...meta },
});
const withProgress = { _meta: { progressToken: 'p1' } };

interface Message {
  method?: string;
  params?: Record<string, unknown>;
  id?: string;
  result?: ToolCallResult<RunAnswer>;
}
/** The messages of a stream of events. */
const messagesIn = (text: string): Message[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Message);
const runIn = (body: RpcAnswer<ToolCallResult<RunAnswer>>) => body.result?.structuredContent;

test('a tool that waits tells its progress each second, and then the end of the run', async () => {
  const flowId = await workspace.flow(shortFlow('1'));
  const { status, headers, text } = await sendMessage(
    server.url,
    startWith(flowId, 20_000, withProgress),
    { token: owner.token, headers: { accept: STREAM } },
  );
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const messages = messagesIn(text);
  const progress = messages.slice(0, -1);
  expect(progress.length).toBeGreaterThanOrEqual(2);
  for (const { method, params } of progress) {
    expect(method).toBe('notifications/progress');
    expect(params).toMatchObject({ progressToken: 'p1', total: 20_000 });
  }
  const numbers = progress.map(({ params }) => Number(params?.progress));
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(messages.at(-1)?.id).toBe('start');
  expect(messages.at(-1)?.result?.structuredContent).toMatchObject({
    flowId,
    status: 'SUCCESS',
    output: { id: 1 },
  });
});

test.each([
  ['a client that asks for no progress', {}, STREAM],
  ['a client with a long token', { _meta: { progressToken: 'p'.repeat(257) } }, STREAM],
  ['a client that accepts JSON alone', withProgress, 'application/json'],
])('%s gets the end of the run as JSON', async (_, meta, accept) => {
  const flowId = await workspace.flow(shortFlow('2'));
  const { headers, body } = await sendMessage<ToolCallResult<RunAnswer>>(
    server.url,
    startWith(flowId, 20_000, meta),
    { token: owner.token, headers: { accept } },
  );
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(runIn(body)).toMatchObject({ status: 'SUCCESS', output: { id: 2 } });
});

test('a wait that ends before the run answers with the run as it is', async () => {
  const flowId = await workspace.flow(RESTING);
  const { body } = await sendMessage<ToolCallResult<RunAnswer>>(
    server.url,
    startWith(flowId, 1_200),
    { token: owner.token },
  );
  expect(runIn(body)?.status).toBe('WAITING');
});

test('a wait of a wrong length is told at once', async () => {
  const flowId = await workspace.flow(RESTING);
  const { body } = await sendMessage<ToolCallResult<unknown>>(
    server.url,
    startWith(flowId, 999_999, { _meta: { progressToken: 1 } }),
    { token: owner.token, headers: { accept: 'application/json' } },
  );
  expect(body.result?.isError).toBe(true);
  expect(body.result?.content[0]?.text).toContain('wait: must be a whole number from 0 to 30000');
});

/** Sends a waiting call on a connection that the test can close. */
function wait(flowId: number): http.ClientRequest {
  const body = JSON.stringify(startWith(flowId, 30_000, withProgress));
  const client = http.request(`${server.url}/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      accept: STREAM,
    },
  });
  client.on('response', (response) => response.resume()).on('error', () => undefined);
  client.end(body);
  return client;
}
const liveRuns = async (flowId: number) => {
  const { body } = await owner.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`);
  return body.filter(({ status }) => status === 'WAITING');
};

test('more waiting calls of a caller than may be are refused with a problem, also after a client has gone', async () => {
  const flowId = await workspace.flow(RESTING);
  const clients = [wait(flowId), wait(flowId)];
  await waitFor('the runs', async () => (await liveRuns(flowId)).length === 2);
  clients[0]?.destroy();
  const third = () =>
    sendMessage<ToolCallResult<RunAnswer>>(server.url, startWith(flowId, 10), {
      token: owner.token,
    });
  const { status, headers } = await third();
  expect([status, headers['content-type']]).toEqual([429, 'application/problem+json']);
  for (const { id } of await liveRuns(flowId)) {
    await owner.call('POST', `/flows/runs/${id}/cancel`);
  }
  await waitFor('a place', async () => (await third()).status === 200);
  clients[1]?.destroy();
});

test('a process that stops ends a wait with the run, and then itself', async () => {
  const flowId = await workspace.flow(RESTING);
  const answer = sendMessage(server.url, startWith(flowId, 30_000, withProgress), {
    token: owner.token,
    headers: { accept: STREAM },
  });
  await waitFor('the run', async () => (await liveRuns(flowId)).length === 1);
  const code = server.stop();
  const last = messagesIn((await answer).text).at(-1);
  expect(last?.result?.structuredContent).toMatchObject({ flowId, status: 'WAITING' });
  expect(await code).toBe(0);
});
