import { e2e } from '../fixtures/e2e.ts';
import { endOf, getRun, startRun } from '../helpers/runs.ts';
import { servicesExcept } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

/** Runs that the two processes of `runs` share. */
const RUNS = 8;
/** Milliseconds within which an accepted cancel ends any run: about 4 s, and the time that a busy machine adds. */
const END_WITHIN_MS = 15_000;

const {
  server: system,
  owner,
  workspace,
  api,
} = e2e({
  processes: ['api', servicesExcept('api', 'runs'), 'runs', 'runs'],
  env: { OUTBOUND_ALLOW: '127.0.0.0/8' },
});

/**
 * Cancels the run. A call that reaches the stopped process is repeated at one of the two by chance, until its deadline;
 * then the client repeats the request. Returns the time of the 202.
 */
const cancel = (runId: number): Promise<number> =>
  waitFor(
    'the 202',
    async () => {
      const { status } = await owner.call('POST', `/flows/runs/${runId}/cancel`);
      if (status !== 504) expect(status).toBe(202);
      return status === 202 ? Date.now() : null;
    },
    60_000,
  );

test('a cancel ends the runs of a worker that stands still', async () => {
  const flowId = await workspace.flow(JSON.stringify({ do: [{ hold: api.task('/hold') }] }));
  const runs = await Promise.all(Array.from({ length: RUNS }, () => startRun(owner, flowId)));
  await waitFor('the calls of all runs', () => api.keysOf('/hold').length === RUNS);
  const [worker] = system.processesOf('runs');
  worker?.signal('SIGSTOP');
  try {
    const ended = runs.map(async ({ body: { id } }) => {
      const acceptedAt = await cancel(id);
      const run = await waitFor(
        'the end',
        async () => {
          const found = await getRun(owner, id).catch(() => null);
          return found?.status === 'CANCELLED' ? found : null;
        },
        60_000,
      );
      expect(Date.parse(run.completedAt ?? '') - acceptedAt).toBeLessThan(END_WITHIN_MS);
    });
    await Promise.all(ended);
  } finally {
    worker?.signal('SIGCONT');
  }
  for (const { body } of runs) {
    expect(await endOf(owner, body.id)).toMatchObject({ status: 'CANCELLED' });
  }
}, 120_000);
