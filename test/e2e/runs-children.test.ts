import { e2e } from '../fixtures/e2e.ts';
import { createWorkspace } from '../helpers/people.ts';
import {
  createFlow,
  endOf,
  getRun,
  type RunAnswer,
  runTask,
  runToEnd,
  startRun,
  stepsOf,
} from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';
import { publishSteps } from '../helpers/workflows.ts';

const { owner: ada, workspace, api } = e2e();

let places = 0;
/** A name, and a part of a path, that no other test uses. */
const place = () => `p${places++}`;

const call = (path: string, more?: object) => api.task(path, more);
const fileOf = (...tasks: object[]) => JSON.stringify({ do: tasks });
const flowOf = (...tasks: object[]) => workspace.flow(fileOf(...tasks));
const childrenOf = async (flowId: number): Promise<RunAnswer[]> =>
  (await ada.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`)).body;
async function liveChildOf(flowId: number, status = 'WAITING'): Promise<RunAnswer> {
  return waitFor(`a child run that is ${status}`, async () =>
    (await childrenOf(flowId)).find((run) => run.status === status),
  );
}
const cancel = (runId: number) => ada.call('POST', `/flows/runs/${runId}/cancel`);
const LONG_WAIT = { wait: { minutes: 10 } };

test('a flow is run by its name, with an input, and gives its output', async () => {
  const name = `Child ${place()}`;
  const child = await workspace.flow(
    fileOf({ double: { set: { n: `\${ $.n * 2 }`, attempt: `\${ $run.attempt }` } } }),
    name,
  );
  const parent = await flowOf(
    { begin: { set: { n: 21 } } },
    { child: { ...runTask(name, { input: { n: `\${ $.n }` } }) } },
    { last: { set: { result: `\${ $ }` } } },
  );
  const run = await runToEnd(ada, parent);
  expect([run.status, run.output]).toEqual(['SUCCESS', { result: { n: 42, attempt: 1 } }]);
  const [made] = await childrenOf(child);
  expect(made).toMatchObject({
    status: 'SUCCESS',
    input: { n: 21 },
    startedBy: { type: 'run', id: run.id },
    retryOf: null,
  });
  const steps = await stepsOf(ada, run.id);
  expect(steps.map((step) => `${step.name} ${step.status}`)).toEqual([
    'begin SUCCESS',
    'child SUCCESS',
    'last SUCCESS',
  ]);
  expect(steps[1]?.output).toEqual({ n: 42, attempt: 1 });
});

test('a flow is run by its id, at a version, with the input of the task', async () => {
  const child = await flowOf({ old: { set: { from: 'the first', given: `\${ $ }` } } });
  const version = (await ada.call<{ versionId: number }>('GET', `/flows/${child}`)).body.versionId;
  const content = fileOf({ new: { set: { from: 'the second' } } });
  expect((await ada.call('PUT', '/flows', { body: { flowId: child, content } })).status).toBe(200);
  const parent = await flowOf(
    { old: { input: { from: { a: 1 } }, ...runTask(child, { version: String(version) }) } },
    { kept: { set: { old: `\${ $ }` } } },
    {
      new: { ...runTask(child), output: { as: { old: `\${ $steps.kept.old }`, new: `\${ $ }` } } },
    },
  );
  expect((await runToEnd(ada, parent)).output).toEqual({
    old: { from: 'the first', given: { a: 1 } },
    new: { from: 'the second' },
  });
});

test('a child run that waits lets its parent wait, without a worker', async () => {
  const child = await flowOf({ rest: { listen: { to: { one: { with: { type: 'go' } } } } } });
  const parent = await flowOf({ child: runTask(child) });
  const { id } = (await startRun(ada, parent)).body;
  await waitFor('the wait', async () => (await getRun(ada, id)).status === 'WAITING');
  const [open] = await stepsOf(ada, id);
  expect([open?.name, open?.status]).toEqual(['child', 'WAITING']);
  const { id: childId } = await liveChildOf(child);
  await ada.call('POST', `/flows/runs/${childId}/signals/go`, { body: { by: 'Ada' } });
  expect((await endOf(ada, id)).output).toEqual([{ by: 'Ada' }]);
});

describe('the error of a child run', () => {
  test('is the error of the task, and names the run', async () => {
    const child = await flowOf({ fails: call('/status/409') });
    const parent = await flowOf({ child: runTask(child) });
    const { status, error } = await runToEnd(ada, parent);
    const [made] = await childrenOf(child);
    expect(status).toBe('FAILED');
    expect(error).toMatchObject({ status: 409, title: 'HTTP_STATUS', instance: '/do/0/child' });
    expect(error?.detail).toMatch(
      new RegExp(`^run ${made?.id} of the flow "flow-.+" failed at /do/0/fails: `),
    );
  });

  test('can be caught', async () => {
    const child = await flowOf({
      no: {
        raise: {
          error: { type: 'https://example.com/no', status: 422, title: 'NO', detail: 'not today' },
        },
      },
    });
    const parent = await flowOf({
      tried: {
        try: [{ child: runTask(child) }],
        catch: {
          errors: { with: { type: 'https://example.com/no' } },
          as: 'error',
          do: [{ told: { set: { title: `\${ $error.title }`, at: `\${ $error.instance }` } } }],
        },
      },
    });
    expect((await runToEnd(ada, parent)).output).toEqual({
      title: 'NO',
      at: '/do/0/tried/try/0/child',
    });
  });

  test('is a timeout where the child run takes too long', async () => {
    const child = await workspace.flow(
      JSON.stringify({ timeout: { after: { milliseconds: 1_500 } }, do: [{ rest: LONG_WAIT }] }),
    );
    const { error } = await runToEnd(ada, await flowOf({ child: runTask(child) }));
    expect(error).toMatchObject({ status: 408, title: 'RUN_TIMEOUT', instance: '/do/0/child' });
  });

  test('is CANCELLED where somebody cancels the child run', async () => {
    const child = await flowOf({ rest: LONG_WAIT });
    const { id } = (await startRun(ada, await flowOf({ child: runTask(child) }))).body;
    const { id: childId } = await liveChildOf(child);
    expect((await cancel(childId)).status).toBe(202);
    const { status, error } = await endOf(ada, id);
    expect([status, error?.title]).toEqual(['FAILED', 'CANCELLED']);
  });

  test.each([
    ['a name that no flow has', 'gone', {}, 'the workspace has no flow "gone"'],
    ['an id that no flow has', '999999999', {}, 'the workspace has no flow "999999999"'],
    ['an id beyond all ids', '99999999999999999999', {}, 'has no flow'],
  ])('is FLOW_NOT_FOUND for %s', async (_what, flow, more, detail) => {
    const { error } = await runToEnd(ada, await flowOf({ child: runTask(flow, more) }));
    expect(error).toMatchObject({ status: 404, title: 'FLOW_NOT_FOUND' });
    expect(error?.detail).toContain(detail);
  });

  test('is FLOW_NOT_FOUND for a version that is not of the flow', async () => {
    const child = await flowOf({ a: { set: { a: 1 } } });
    const { error } = await runToEnd(
      ada,
      await flowOf({ c: runTask(child, { version: '999999' }) }),
    );
    expect(error).toMatchObject({ title: 'FLOW_NOT_FOUND' });
    expect(error?.detail).toContain('999999 is not a version of the flow');
  });

  test('is FLOW_NOT_FOUND for a flow of another workspace', async () => {
    const other = await createWorkspace(ada);
    const child = await createFlow(ada, other, fileOf({ a: { set: { a: 1 } } }), 'Elsewhere');
    for (const flow of [child, 'Elsewhere']) {
      const { error } = await runToEnd(ada, await flowOf({ child: runTask(flow) }));
      expect(error).toMatchObject({ title: 'FLOW_NOT_FOUND' });
    }
    expect(await childrenOf(child)).toEqual([]);
  });

  test('is INPUT_REFUSED for an input that the schema of the flow refuses', async () => {
    const schema = { document: { type: 'object', required: ['n'] } };
    const child = await workspace.flow(
      JSON.stringify({ input: { schema }, do: [{ a: { set: { a: 1 } } }] }),
    );
    const { error } = await runToEnd(ada, await flowOf({ child: runTask(child) }));
    expect(error).toMatchObject({ status: 400, title: 'INPUT_REFUSED', instance: '/do/0/child' });
    expect(error?.type).toMatch(/validation$/);
    expect(await childrenOf(child)).toEqual([]);
  });

  test('is DEPTH_LIMIT where flows run one another in a circle', async () => {
    const name = `Circle ${place()}`;
    const circle = await workspace.flow(fileOf({ again: runTask(name) }), name);
    const { error } = await runToEnd(ada, circle);
    expect(error).toMatchObject({ title: 'DEPTH_LIMIT' });
    expect(await childrenOf(circle)).toHaveLength(11);
  });
});

describe('the child runs are cancelled', () => {
  test('with their parent, at every depth', async () => {
    const leaf = await flowOf({ rest: LONG_WAIT });
    const middle = await flowOf({ child: runTask(leaf) });
    const { id } = (await startRun(ada, await flowOf({ child: runTask(middle) }))).body;
    const waits = await liveChildOf(leaf);
    const between = await liveChildOf(middle);
    expect((await cancel(id)).status).toBe(202);
    const ends = await Promise.all([id, between.id, waits.id].map((run) => endOf(ada, run)));
    expect(ends.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
  });

  test('when the task that waits for them times out', async () => {
    const child = await flowOf({ rest: LONG_WAIT });
    const timeout = { after: { milliseconds: 1_500 } };
    const { status, error } = await runToEnd(
      ada,
      await flowOf({ child: { ...runTask(child), timeout } }),
    );
    expect([status, error?.title]).toEqual(['FAILED', 'TASK_TIMEOUT']);
    const [made] = await childrenOf(child);
    expect((await endOf(ada, made?.id ?? 0)).status).toBe('CANCELLED');
  });

  test('when another branch wins', async () => {
    const child = await flowOf({ rest: LONG_WAIT });
    const branches = [{ slow: runTask(child) }, { fast: { wait: { milliseconds: 300 } } }];
    const parent = await flowOf(
      { race: { fork: { compete: true, branches } } },
      { hold: { listen: { to: { one: { with: { type: 'end' } } } } } },
    );
    const { id } = (await startRun(ada, parent)).body;
    await waitFor('the second task', async () =>
      (await stepsOf(ada, id)).some(({ name }) => name === 'hold'),
    );
    const [made] = await childrenOf(child);
    expect((await endOf(ada, made?.id ?? 0)).status).toBe('CANCELLED');
    expect((await getRun(ada, id)).status).not.toBe('FAILED');
    await cancel(id);
  });

  test('when another branch fails', async () => {
    const child = await flowOf({ rest: LONG_WAIT });
    const fails = {
      raise: { error: { type: 'https://example.com/no', status: 400, title: 'NO' } },
    };
    const branches = [
      { slow: runTask(child) },
      { soon: { do: [{ rest: { wait: { milliseconds: 1_200 } } }, { fails }] } },
    ];
    const { status } = await runToEnd(ada, await flowOf({ both: { fork: { branches } } }));
    expect(status).toBe('FAILED');
    const [made] = await childrenOf(child);
    expect((await endOf(ada, made?.id ?? 0)).status).toBe('CANCELLED');
  });
});

test('each branch of a loop has a child run of its own', async () => {
  const child = await flowOf({ square: { set: { n: `\${ $.n * $.n }` } } });
  const parent = await flowOf({
    all: {
      for: { each: 'n', in: `\${ [1..20] }` },
      metadata: { parallel: 8 },
      do: [{ child: runTask(child, { input: { n: `\${ $n }` } }) }],
      output: { as: `\${ $.n }` },
    },
  });
  const { status, output } = await runToEnd(ada, parent);
  expect([status, output]).toEqual(['SUCCESS', Array.from({ length: 20 }, (_, i) => (i + 1) ** 2)]);
  expect(await childrenOf(child)).toHaveLength(20);
});

test('a child run of a flow with a limit waits for its turn', async () => {
  const child = await workspace.flow(
    JSON.stringify({ metadata: { concurrency: 1 }, do: [{ a: { set: { a: 1 } } }] }),
  );
  const branches = ['a', 'b', 'c'].map((name) => ({ [name]: runTask(child) }));
  const run = await runToEnd(ada, await flowOf({ all: { fork: { branches } } }));
  expect([run.status, run.output]).toEqual(['SUCCESS', [{ a: 1 }, { a: 1 }, { a: 1 }]]);
});

test('a workflow runs a flow as well', async () => {
  const child = await flowOf({ a: { set: { a: 1 } } });
  const id = await workspace.workflow();
  await publishSteps(ada, id, [{ key: 'child', definition: runTask(child) }]);
  const { body } = await ada.call<RunAnswer>('POST', `/workflow/${id}/execute`, {
    query: { wait: 20_000 },
  });
  expect((await endOf(ada, body.id)).output).toEqual({ a: 1 });
});

test('child runs are neither in the statistics nor among the recent runs', async () => {
  const own = await createWorkspace(ada);
  const child = await createFlow(ada, own, fileOf({ a: { set: { a: 1 } } }));
  const parent = await createFlow(
    ada,
    own,
    fileOf({ one: runTask(child) }, { two: runTask(child) }),
  );
  const { id } = await runToEnd(ada, parent);
  expect(await childrenOf(child)).toHaveLength(2);
  const { body: recent } = await ada.call<{ totalElements: number; content: { id: number }[] }>(
    'GET',
    '/flows/recent-runs',
    { query: { workspaceId: own, limit: 10 } },
  );
  expect([recent.totalElements, recent.content.map((run) => run.id)]).toEqual([1, [id]]);
  const { body: statistics } = await ada.call('GET', '/flows/stats', {
    query: { workspaceId: own },
  });
  expect(statistics).toMatchObject({
    totalRuns: 1,
    mostFrequentFlow: { flowId: parent },
    currentlyRunningJobs: 0,
  });
});

test('the running jobs of the statistics do not count child runs', async () => {
  const own = await createWorkspace(ada);
  const child = await createFlow(ada, own, fileOf({ rest: LONG_WAIT }));
  const parent = await createFlow(ada, own, fileOf({ child: runTask(child) }));
  const { id } = (await startRun(ada, parent)).body;
  await liveChildOf(child);
  const { body } = await ada.call('GET', '/flows/stats', { query: { workspaceId: own } });
  expect(body).toMatchObject({ currentlyRunningJobs: 1 });
  await cancel(id);
});

describe('a retry of the parent', () => {
  test('goes on within the child run that failed, with the keys of the first', async () => {
    const [first, second] = [`/ok/${place()}`, `/flaky/1/${place()}`];
    const child = await flowOf({ before: call(first) }, { after: call(second) });
    const parent = await flowOf({ child: runTask(child) });
    const failed = await runToEnd(ada, parent);
    expect(failed.status).toBe('FAILED');
    const { body } = await ada.call<RunAnswer>('POST', `/flows/runs/${failed.id}/retry`);
    expect((await endOf(ada, body.id)).status).toBe('SUCCESS');
    expect(api.keysOf(first)).toHaveLength(1);
    const [one, two] = api.keysOf(second);
    expect(two).toBe(one);
    const [latest, earlier] = await childrenOf(child);
    expect([latest?.retryOf, latest?.startedBy.id]).toEqual([earlier?.id, body.id]);
  });

  test('does not run a child again that has succeeded', async () => {
    const [done, flaky] = [`/ok/${place()}`, `/flaky/1/${place()}`];
    const child = await flowOf({ does: call(done) });
    const parent = await flowOf({ child: runTask(child) }, { after: call(flaky) });
    const failed = await runToEnd(ada, parent);
    const { body } = await ada.call<RunAnswer>('POST', `/flows/runs/${failed.id}/retry`);
    expect((await endOf(ada, body.id)).status).toBe('SUCCESS');
    expect(api.keysOf(done)).toHaveLength(1);
    expect(await childrenOf(child)).toHaveLength(1);
  });

  test('from the start runs the child run again, with the keys of the first', async () => {
    const [done, flaky] = [`/ok/${place()}`, `/flaky/1/${place()}`];
    const child = await flowOf({ does: call(done) });
    const parent = await flowOf({ child: runTask(child) }, { after: call(flaky) });
    const failed = await runToEnd(ada, parent);
    const { body } = await ada.call<RunAnswer>('POST', `/flows/runs/${failed.id}/retry`, {
      body: { from: 'start' },
    });
    expect((await endOf(ada, body.id)).status).toBe('SUCCESS');
    const [one, two] = api.keysOf(done);
    expect([two, api.keysOf(done).length]).toEqual([one, 2]);
  });
});
