import type { Task } from '@workspace-automation/flow-language';
import { type OutboundClient, OutboundError } from '@workspace-automation/outbound-http';
import { onDescribedRuns, plainCall } from './described-calls.ts';
import { errorOf, literal } from './engine.ts';

const { server, runTasks } = onDescribedRuns();

/** Runs a task that calls a path of the server with the headers. */
const call = (path: string, headers: Record<string, string>) =>
  runTasks([{ ...plainCall('call', `${server.url}${path}`), headers: literal(headers) } as Task]);

test('a redirected call keeps what makes its repeat known, and nothing that the flow gave', async () => {
  server.answer = ({ url }, response) => {
    const location = `http://localhost:${new URL(server.url).port}/next`; // another origin
    if (url === '/away') response.writeHead(308, { location });
    response.end();
  };
  const { _id, status } = await call('/away', { authorization: 'secret' });
  expect(status).toBe('SUCCESS');
  const key = `installation/${_id}/do/call//1`;
  expect(server.seen.map(({ headers }) => headers)).toMatchObject([
    { 'idempotency-key': key, authorization: 'secret' },
    { 'idempotency-key': key },
  ]);
  expect(server.seen[1]?.headers).not.toHaveProperty('authorization');
});

test.each([
  ['host', 'evil'],
  ['x-a', 'a\r\nx-b: c'],
  ['a b', '1'],
])('a flow may not set the header %s to %j', async (name, value) => {
  const detail = expect.stringContaining(name);
  const run = await call('/', { [name]: value });
  expect(errorOf(run)).toMatchObject({ title: 'EXPRESSION_FAILED', detail });
  expect(server.seen).toEqual([]);
});

test('a flow may name the trace itself', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await call('/', { traceparent });
  expect(server.seen).toMatchObject([{ headers: { traceparent } }]);
});

describe('a call', () => {
  const asked: number[] = [];
  const outbound: OutboundClient = {
    async send({ timeoutMs }) {
      asked.push(timeoutMs);
      throw new OutboundError('TIMEOUT', 'too long');
    },
    close: async () => undefined,
  };
  const callWithin = (timeoutMs: number, task: Partial<Task> = {}) =>
    runTasks(
      [{ ...plainCall('call', 'http://x.test/'), ...task } as Task],
      { timeoutMs },
      { outbound },
    );

  test('takes a minute at most, or as long as its task may, up to ten', async () => {
    const run = await callWithin(3_600_000);
    expect(errorOf(run)).toMatchObject({ status: 408, title: 'TASK_TIMEOUT' });
    await callWithin(3_600_000, { timeoutMs: 120_000 });
    await callWithin(3_600_000, { timeoutMs: 3_000_000 });
    const [minute, ofTask = 0, most] = asked;
    expect([minute, most]).toEqual([60_000, 600_000]);
    expect(ofTask).toBeGreaterThan(60_000);
    expect(ofTask).toBeLessThanOrEqual(120_000);
  });

  test('that meets the deadline of its run first is timed out by that', async () => {
    expect(await callWithin(5_000)).toMatchObject({ status: 'TIMED_OUT' });
  });
});
