import fc from 'fast-check';
import { e2e } from '../fixtures/e2e.ts';
import { createWorkspace } from '../helpers/people.ts';
import { createFlow, getRun, type RunAnswer, runTask, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';
import { createWorkflow, publishSteps } from '../helpers/workflows.ts';

/** A new seed for each run of the tests; a failure names it. */
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);

const { server, owner: ada } = e2e({ env: { PUBLIC_URL: 'http://service.test' } });

const KINDS = ['fine', 'failing', 'late', 'listening', 'parent'] as const;
type Kind = (typeof KINDS)[number];

const LISTEN = { listen: { to: { one: { with: { type: 'go' } } } } };
/** The flow file of a kind. A parent runs the flow with the id `fine`. */
const FILES: Record<Kind, (fine: number) => object> = {
  fine: () => ({ do: [{ a: { set: { a: 1 } } }] }),
  failing: () => ({
    do: [{ no: { raise: { error: { type: 'https://example.com/no', status: 500 } } } }],
  }),
  late: () => ({
    timeout: { after: { milliseconds: 1_100 } },
    do: [{ rest: { wait: { minutes: 5 } } }],
  }),
  listening: () => ({ do: [{ go: LISTEN }] }),
  parent: (fine) => ({
    do: [{ child: runTask(fine) }, { go: LISTEN }],
  }),
};

/** What happens next. `nth` picks one of the runs that the command is for, in the order of their starts. */
const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('start' as const), kind: fc.constantFrom(...KINDS) }),
  },
  ...(['cancel', 'signal', 'retry'] as const).map((act) => ({
    weight: 2,
    arbitrary: fc.record({ do: fc.constant(act), nth: fc.nat(20) }),
  })),
  ...(['execute', 'cancelAll', 'crash'] as const).map((act) => ({
    weight: 1,
    arbitrary: fc.record({ do: fc.constant(act) }),
  })),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** A workspace with a flow of each kind, and the counted runs that somebody has started there. */
class History {
  readonly workspaceId: number;
  readonly #flows: ReadonlyMap<Kind, number>;
  readonly #workflowId: number;
  readonly #runs: number[] = [];

  private constructor(workspaceId: number, flows: ReadonlyMap<Kind, number>, workflowId: number) {
    this.workspaceId = workspaceId;
    this.#flows = flows;
    this.#workflowId = workflowId;
  }

  static async begin(): Promise<History> {
    const workspaceId = await createWorkspace(ada);
    const flows = new Map<Kind, number>();
    for (const kind of KINDS) {
      const file = FILES[kind](flows.get('fine') ?? 0);
      flows.set(kind, await createFlow(ada, workspaceId, JSON.stringify(file), kind));
    }
    const workflowId = await createWorkflow(ada, workspaceId);
    await publishSteps(ada, workflowId, [{ key: 'a', definition: { set: { a: 1 } } }]);
    return new History(workspaceId, flows, workflowId);
  }

  async carryOut(todo: Command): Promise<void> {
    switch (todo.do) {
      case 'start': {
        const { body } = await startRun(ada, this.#flows.get(todo.kind) ?? 0);
        this.#runs.push(body.id);
        return;
      }
      case 'cancel':
        return this.#act(todo.nth, 'cancel');
      case 'signal':
        return this.#act(todo.nth, 'signals/go');
      case 'retry':
        return this.#act(todo.nth, 'retry');
      case 'execute':
        await ada.call('POST', `/workflow/${this.#workflowId}/execute`);
        return;
      case 'cancelAll':
        await ada.call('POST', `/flows/${this.#flows.get('listening')}/runs/cancel`);
        return;
      case 'crash':
        await server.kill();
        await server.restart();
    }
  }

  /** Sends a request for one of the runs. A run in the wrong state refuses it. */
  async #act(nth: number, what: string): Promise<void> {
    const id = this.#runs[nth % Math.max(this.#runs.length, 1)];
    if (id === undefined) return;
    const { status, body } = await ada.call<{ id: number } | undefined>(
      'POST',
      `/flows/runs/${id}/${what}`,
    );
    expect([202, 204, 409]).toContain(status);
    if (what === 'retry' && status === 202 && body) this.#runs.push(body.id);
  }

  /** The runs, once each of them has ended or waits for a signal. */
  async settled(): Promise<RunAnswer[]> {
    const runs: RunAnswer[] = [];
    for (const id of this.#runs) {
      await waitFor(
        `run ${id} to end or to listen`,
        async () => {
          const { status, wakeAt } = await getRun(ada, id);
          // A listening run waits for its own end, in an hour.
          return status === 'WAITING' && wakeAt
            ? Date.parse(wakeAt) - Date.now() > 600_000
            : !['QUEUED', 'RUNNING', 'WAITING'].includes(status);
        },
        60_000,
      );
    }
    for (const id of this.#runs) runs.push(await getRun(ada, id));
    return runs;
  }
}

const msOf = ({ startedAt, completedAt }: RunAnswer): number =>
  startedAt && completedAt ? Math.max(Date.parse(completedAt) - Date.parse(startedAt), 0) : 0;

async function compare(history: History): Promise<void> {
  const { workspaceId } = history;
  const runs = await history.settled();
  const ended = runs.filter(({ completedAt }) => completedAt !== null);
  const count = (...statuses: string[]) =>
    ended.filter(({ status }) => statuses.includes(status)).length;
  const { body: statistics } = await ada.call<Record<string, number>>('GET', '/flows/stats', {
    query: { workspaceId },
  });
  const ms = ended.reduce((sum, run) => sum + msOf(run), 0);
  expect(statistics).toMatchObject({
    totalRuns: ended.length,
    successfulRuns: count('SUCCESS'),
    failedRuns: count('FAILED', 'TIMED_OUT'),
    currentlyRunningJobs: runs.length - ended.length,
  });
  expect(Math.round((statistics.averageDuration ?? 0) * 1_000 * ended.length)).toBe(ms);
  const { body: recent } = await ada.call<{ totalElements: number; content: { id: number }[] }>(
    'GET',
    '/flows/recent-runs',
    { query: { workspaceId, limit: 100 } },
  );
  expect(recent.totalElements).toBe(runs.length);
  const newestFirst = runs.toSorted(
    (a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id,
  );
  expect(recent.content.map(({ id }) => id)).toEqual(newestFirst.map(({ id }) => id));
}

test('statistics and recent runs equal a recount of random histories with crashes', async () => {
  const histories = fc.array(command, { minLength: 15, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(histories, async (commands) => {
      const history = await History.begin();
      for (const [at, todo] of commands.entries()) {
        await history.carryOut(todo);
        if (todo.do === 'crash' || at % 8 === 7) await compare(history);
      }
      await compare(history);
    }),
    { seed: SEED, numRuns: 4, endOnFailure: true },
  );
}, 400_000);
