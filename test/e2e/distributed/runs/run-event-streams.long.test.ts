import { setTimeout as sleep } from 'node:timers/promises';
import { e2e } from '../../../fixtures/e2e.ts';
import { EventStream, type StreamOptions } from '../../../helpers/event-stream.ts';
import { endOf, getRun, runToEnd, startRun, stepsOf } from '../../../helpers/runs.ts';
import { waitFor } from '../../../helpers/wait.ts';
import { execute } from '../../../helpers/workflows.ts';

/** Milliseconds within which a change of a role takes effect. */
const REVOKED_WITHIN_MS = 1_000;

const {
  server,
  owner: ada,
  stranger,
  workspace,
  api,
} = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', WAITING_PER_CALLER: '4' } });

const flowOf = (...tasks: object[]): Promise<number> =>
  workspace.flow(JSON.stringify({ do: tasks }));
const call = (path: string) => ({
  call: 'http',
  with: { method: 'get', endpoint: `${api.url}${path}` },
});
const follow = (runId: number, options: StreamOptions = {}): EventStream =>
  new EventStream(server.url, `/flows/runs/${runId}/events`, { token: ada.token, ...options });

/** The events that a run must have: `statuses` before its end, with its steps as the list has them. */
async function assertComplete(stream: EventStream, runId: number): Promise<void> {
  const { events } = stream;
  expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
  const steps = await stepsOf(ada, runId);
  const shown = steps.map(({ input: _input, output: _output, truncated: _cut, ...step }) => step);
  expect(events.filter(({ event }) => event === 'step').map(({ data }) => data)).toEqual(shown);
  expect(events.at(-1)).toMatchObject({ event: 'end', data: await getRun(ada, runId) });
}

const statusesOf = ({ events }: EventStream) =>
  events.filter(({ event }) => event === 'run').map(({ data }) => data);

test('a run is followed from its beginning to its end', async () => {
  const flowId = await flowOf(
    { first: { set: { x: 1 } } },
    { ask: call('/hold/follow') },
    { rest: { wait: { seconds: 2 } } },
    { last: { set: { y: 2 } } },
  );
  const { body: run } = await startRun(ada, flowId);
  const stream = follow(run.id);
  await stream.until('RUNNING', ({ id }) => id === 2);
  expect(stream.status).toBe(200);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  api.letGo();
  const waiting = await stream.until('WAITING', ({ id, event }) => id > 2 && event === 'run');
  expect(waiting.data).toEqual({ status: 'WAITING', wakeAt: (await getRun(ada, run.id)).wakeAt });
  await stream.ended();
  expect(stream.end).toBe('complete');
  expect(statusesOf(stream)).toEqual([
    { status: 'QUEUED', wakeAt: null },
    { status: 'RUNNING', wakeAt: null },
    waiting.data,
    { status: 'RUNNING', wakeAt: null },
  ]);
  await assertComplete(stream, run.id);
  expect(stream.otherLines).toEqual([]);
});

test('each event but the end is a place to go on from', async () => {
  const flowId = await flowOf(
    { each: { for: { in: `\${ [1..30] }` }, do: [{ note: { set: { a: `\${ $item }` } } }] } },
    { rest: { wait: { seconds: 2 } } },
    { last: call('/ok/resumed') },
  );
  const run = await runToEnd(ada, flowId);
  const all = await follow(run.id).ended();
  await assertComplete(all, run.id);
  expect(all.events).toHaveLength(2 + 31 + 2 + 2 + 1);
  for (const { id } of [{ id: 0 }, ...all.events]) {
    const rest = await follow(run.id, { lastEventId: id }).ended();
    expect(rest.events).toEqual(all.events.slice(id));
  }
});

test('a run that is cancelled while it waits did not run again', async () => {
  const { body: run } = await startRun(ada, await flowOf({ rest: { wait: { minutes: 5 } } }));
  const stream = follow(run.id);
  const waiting = await stream.until('WAITING', ({ id }) => id === 3);
  await ada.call('POST', `/flows/runs/${run.id}/cancel`);
  await stream.ended();
  expect(waiting.data).toMatchObject({ status: 'WAITING' });
  expect(stream.events.slice(3)).toEqual([
    { id: 4, event: 'end', data: await getRun(ada, run.id) },
  ]);
});

test('an execution has events as well', async () => {
  const steps = [{ key: 'only', definition: { set: { a: 1 } } }];
  const workflowId = await workspace.workflow(steps);
  const { body: run } = await execute(ada, workflowId, { query: { wait: 20_000 } });
  const stream = await follow(run.id).ended();
  await assertComplete(stream, run.id);
});

test('a failed attempt, its delay and its repeat have their events', async () => {
  const flowId = await flowOf({
    again: {
      try: [{ ask: call('/flaky/2/events') }],
      catch: { retry: { delay: { milliseconds: 10 }, limit: { attempt: { count: 3 } } } },
    },
  });
  const run = await runToEnd(ada, flowId);
  const stream = await follow(run.id).ended();
  await assertComplete(stream, run.id);
  const steps = stream.events.filter(({ event }) => event === 'step').map(({ data }) => data);
  expect(steps).toMatchObject([
    { name: 'ask', attempt: 1, status: 'FAILED', response: { status: 503 } },
    { name: 'ask', attempt: 2, status: 'FAILED', response: { status: 503 } },
    { name: 'ask', attempt: 3, status: 'SUCCESS', response: { status: 200 } },
    { name: 'again', status: 'SUCCESS', request: null },
  ]);
});

test('an id that is none is refused, and the end or an id behind it ends the connections', async () => {
  const run = await runToEnd(ada, await flowOf({ a: { set: { b: 1 } } }));
  const refused = await follow(run.id, { lastEventId: 'x' }).ended();
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.text)).toMatchObject({
    errors: [{ in: 'header', path: 'last-event-id' }],
  });
  const { events } = await follow(run.id).ended();
  for (const lastEventId of [events.length, 99]) {
    const behind = await follow(run.id, { lastEventId }).ended();
    expect([behind.status, behind.text]).toEqual([204, '']);
  }
  const last = await follow(run.id, { lastEventId: events.length - 1 }).ended();
  expect([last.status, last.events.length]).toEqual([200, 1]);
});

test('an id that a live run does not have yet waits for later events', async () => {
  const { body: run } = await startRun(ada, await flowOf({ rest: { wait: { minutes: 5 } } }));
  const stream = follow(run.id, { lastEventId: 99 });
  await waitFor('the stream', () => stream.status === 200);
  await ada.call('POST', `/flows/runs/${run.id}/cancel`);
  await stream.ended();
  expect(stream.events).toEqual([]);
});

test('a stranger, and nobody, get no stream', async () => {
  const run = await runToEnd(ada, await flowOf({ a: { set: { b: 1 } } }));
  expect((await follow(run.id, { token: stranger.token }).ended()).status).toBe(404);
  expect((await follow(run.id, { token: '' }).ended()).status).toBe(401);
});

describe('a stream ends with the right to it', () => {
  const waitingRun = async () =>
    (await startRun(ada, await flowOf({ rest: { wait: { minutes: 5 } } }))).body.id;

  test('when its reader is no member any more', async () => {
    const bob = await workspace.member('GUEST');
    const runId = await waitingRun();
    const [stream, other] = [follow(runId, { token: bob.token }), follow(runId)];
    for (const each of [stream, other]) await each.until('WAITING', ({ id }) => id === 3);
    const query = { userEmail: bob.email };
    const { status } = await ada.call('DELETE', `/workspaces/${workspace.id}/users`, { query });
    expect(status).toBe(204);
    await stream.ended();
    expect(stream.otherLines).toEqual(['retry: 1000']);
    expect((await follow(runId, { token: bob.token }).ended()).status).toBe(404);
    expect(other.end).toBeNull();
    other.close();
  });

  test('before the next event is sent to a reader that is no member any more', async () => {
    const bob = await workspace.member('GUEST');
    const listen = (type: string) => ({ listen: { to: { one: { with: { type } } } } });
    const flowId = await flowOf({ first: listen('go') }, { second: listen('never') });
    const { body: run } = await startRun(ada, flowId);
    const [stream, other] = [follow(run.id, { token: bob.token }), follow(run.id)];
    for (const each of [stream, other]) await each.until('WAITING', ({ id }) => id === 3);
    const query = { userEmail: bob.email };
    await ada.call('DELETE', `/workspaces/${workspace.id}/users`, { query });
    await sleep(REVOKED_WITHIN_MS);
    await ada.call('POST', `/flows/runs/${run.id}/signals/go`, { body: {} });
    await other.until('the step', ({ event }) => event === 'step');
    await stream.ended();
    expect(stream.events.map(({ id }) => id)).toEqual([1, 2, 3]);
    other.close();
  });

  test('when the session of its token is over', async () => {
    const bob = await workspace.member('GUEST');
    const runId = await waitingRun();
    const stream = follow(runId, { token: bob.token });
    await stream.until('WAITING', ({ id }) => id === 3);
    const { refreshToken } = bob;
    const { status } = await bob.call('POST', '/auth/sign-out', { body: { refreshToken } });
    expect(status).toBe(204);
    await stream.ended();
    expect((await follow(runId, { token: bob.token }).ended()).status).toBe(401);
  });
});

test('a caller has as many streams as requests that wait', async () => {
  const { body: run } = await startRun(ada, await flowOf({ rest: { wait: { minutes: 5 } } }));
  const streams = Array.from({ length: 4 }, () => follow(run.id));
  for (const each of streams) await each.until('WAITING', ({ id }) => id === 3);
  const refused = await follow(run.id).ended();
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text)).toMatchObject({ quota: 'WAITING_PER_CALLER', limit: 4 });
  for (const each of streams) each.close();
});

test('a gateway that stops ends its streams after a retry line, and they go on elsewhere', async () => {
  const { body: run } = await startRun(
    ada,
    await flowOf({ ask: call('/ok/before') }, { rest: { wait: { seconds: 8 } } }),
  );
  const stream = follow(run.id);
  const { id } = await stream.until(
    'WAITING',
    ({ data }) => 'wakeAt' in Object(data) && Object(data).wakeAt,
  );
  const stopping = server.stop();
  await stream.ended();
  expect([stream.end, stream.otherLines]).toEqual(['complete', ['retry: 1000']]);
  await stopping;
  await server.restart();
  const rest = await follow(run.id, { lastEventId: id }).ended();
  expect([rest.status, rest.text]).toEqual([200, '']);
  expect(rest.events.map((event) => [event.id, event.event])).toEqual([
    [id + 1, 'run'],
    [id + 2, 'step'],
    [id + 3, 'end'],
  ]);
  const whole = await follow(run.id).ended();
  expect([...stream.events, ...rest.events]).toEqual(whole.events);
  await endOf(ada, run.id);
});
