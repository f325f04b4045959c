import { e2e } from '../fixtures/e2e.ts';
import { endOf, getRun, type RunAnswer, startRun, stepsOf } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

/** Milliseconds within which a cancel ends any run. */
const END_WITHIN_MS = 5_000;

const { owner: ada, workspace, api } = e2e();

interface Case {
  file: (path: string) => object;
  /** Waits until the run is in the state in which the test cancels it. */
  reached: (runId: number, path: string) => Promise<unknown>;
}

const call = (path: string) => api.task(path);
/** A `try` whose task fails and whose retries wait for `delay`. */
const retried = (delay: object) => ({
  tried: {
    try: [{ hit: call('/status/500') }],
    catch: { retry: { delay, limit: { attempt: { count: 1_000 } } } },
  },
});
const calls = (count: number) => (_: number, path: string) =>
  waitFor('the calls', () => api.keysOf(path).length >= count);
const inStatus = (status: string) => (runId: number) =>
  waitFor(status, async () => (await getRun(ada, runId)).status === status);
const hasStep = (name: string, visit: number) => (runId: number) =>
  waitFor(`visit ${visit} of ${name}`, async () =>
    (await stepsOf(ada, runId)).some((step) => step.name === name && step.visit >= visit),
  );

const CASES: Record<string, Case> = {
  'has a call under way': {
    file: (path) => ({ do: [{ hit: call(path) }] }),
    reached: calls(1),
  },
  'has a call under way whose errors are all caught': {
    file: (path) => ({
      do: [
        { tried: { try: [{ hit: call(path) }], catch: { do: [{ caught: { set: { x: 1 } } }] } } },
      ],
    }),
    reached: calls(1),
  },
  'has calls under way in the branches of a fork': {
    file: (path) => ({
      do: [{ both: { fork: { branches: [{ a: call(path) }, { b: call(path) }] } } }],
    }),
    reached: calls(2),
  },
  'has calls under way in the rounds of a parallel loop': {
    file: (path) => ({
      do: [
        {
          all: {
            for: { in: `\${ [1..10] }` },
            metadata: { parallel: 4 },
            do: [{ hit: call(path) }],
          },
        },
      ],
    }),
    reached: calls(4),
  },
  'listens to a signal': {
    file: () => ({ do: [{ l: { listen: { to: { one: { with: { type: 'go' } } } } } }] }),
    reached: inStatus('WAITING'),
  },
  'waits for a long time': {
    file: () => ({ do: [{ rest: { wait: { days: 20 } } }] }),
    reached: inStatus('WAITING'),
  },
  'waits for short times, one after another': {
    file: () =>
      JSON.parse(
        '{"do":[{"rest":{"wait":{"milliseconds":700}}},{"again":{"set":{"a":1},"then":"rest"}}]}',
      ),
    reached: hasStep('again', 1),
  },
  'waits for a retry, for long': {
    file: () => ({ do: [retried({ hours: 1 })] }),
    reached: inStatus('WAITING'),
  },
  'waits for retries, for short times': {
    file: () => ({ do: [retried({ milliseconds: 700 })] }),
    reached: (runId) =>
      waitFor('a retry', async () =>
        (await stepsOf(ada, runId)).some(({ attempt }) => attempt > 1),
      ),
  },
  computes: {
    file: () => ({
      do: [
        {
          round: {
            for: { in: `\${ [1..9000] }` },
            do: [{ sum: { set: { s: `\${ $sum([1..2000]) }` } } }],
          },
        },
      ],
    }),
    reached: inStatus('RUNNING'),
  },
};

const cancel = (runId: number) => ada.call<RunAnswer>('POST', `/flows/runs/${runId}/cancel`);
const start = async (file: object): Promise<number> =>
  (await startRun(ada, await workspace.flow(JSON.stringify(file)))).body.id;

test.each(Object.entries(CASES))('a cancel ends a run that %s', async (name, { file, reached }) => {
  const path = `/hold/${name.replaceAll(/\W+/g, '-')}`;
  const runId = await start(file(path));
  await reached(runId, path);
  expect((await cancel(runId)).status).toBe(202);
  const { status, error, completedAt } = await endOf(ada, runId, END_WITHIN_MS);
  expect([status, error]).toEqual(['CANCELLED', null]);
  expect(completedAt).not.toBeNull();
  const open = (await stepsOf(ada, runId)).filter((step) => step.completedAt === null);
  expect(open).toEqual([]);
});

test('a cancel ends a run that has not begun, and the one that begins in its place goes on', async () => {
  const flowId = await workspace.flow(
    JSON.stringify({ metadata: { concurrency: 1 }, do: [{ hit: call('/hold/limited') }] }),
  );
  const running = (await startRun(ada, flowId)).body.id;
  await waitFor('the call', () => api.keysOf('/hold/limited').length === 1);
  const queued = (await startRun(ada, flowId)).body;
  expect(queued.status).toBe('QUEUED');
  expect((await cancel(queued.id)).status).toBe(202);
  expect((await endOf(ada, queued.id, END_WITHIN_MS)).status).toBe('CANCELLED');
  api.letGo();
  expect((await endOf(ada, running)).status).toBe('SUCCESS');
});

test.each([
  ['works', () => call('/hold/steps'), calls(1)],
  ['waits', () => ({ wait: { days: 20 } }), inStatus('WAITING')],
])(
  'a run that is cancelled while it %s shows its open tasks as FAILED',
  async (_, task, reached) => {
    const runId = await start({ do: [{ around: { do: [{ hit: task() }] } }] });
    await reached(runId, '/hold/steps');
    expect((await cancel(runId)).status).toBe(202);
    await endOf(ada, runId, END_WITHIN_MS);
    const steps = (await stepsOf(ada, runId)).sort((a, b) => a.name.localeCompare(b.name));
    const cancelled = { title: 'CANCELLED', detail: 'the run was cancelled' };
    expect(steps).toMatchObject([
      { name: 'around', status: 'FAILED', error: { ...cancelled, instance: '/do/0/around' } },
      { name: 'hit', status: 'FAILED', error: { ...cancelled, instance: '/do/0/around/do/0/hit' } },
    ]);
  },
);
