import type { RollupDocument } from '../../models/rollup.model.ts';
import type { RunDocument } from '../../models/run.model.ts';
import { type RunStepDocument, runStepId } from '../../models/run-step.model.ts';
import { e2e } from '../fixtures/e2e.ts';
import { endOf, getRun, runToEnd, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const FINE = 'do:\n  - one: { set: { a: 1 } }\n';
const RESTING = 'do:\n  - rest: { wait: { days: 1 } }\n';
/** More steps than a run keeps in its own document. */
const LONG =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
  'do:\n  - round: { for: { in: "${ [1..60] }" }, do: [{ a: { set: { n: "${ $item }" } } }] }\n';

const {
  server,
  database,
  owner: ada,
  workspace,
} = e2e({ database: true, env: { PUBLIC_URL: 'http://service.test' } });

const runs = () => database.collection<RunDocument>('runs');
const steps = () => database.collection<RunStepDocument>('run_steps');
const stepsOf = (runId: number) =>
  steps().countDocuments({ _id: { $gt: `${runId}/`, $lt: `${runId}/~` } });
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const restart = async () => {
  await server.stop();
  await server.restart();
};
const totalElements = async () => {
  const query = { workspaceId: workspace.id, limit: 1 };
  return (await ada.call<{ totalElements: number }>('GET', '/flows/recent-runs', { query })).body
    .totalElements;
};
const statistics = async () => {
  const query = { workspaceId: workspace.id, from: dayOf(daysAgo(60)), to: dayOf(new Date()) };
  return (await ada.call<Record<string, unknown>>('GET', '/flows/stats', { query })).body;
};
const dayOf = (time: Date) => time.toISOString().slice(0, 10);

it('removes runs that ended more than 30 days ago with their steps, and keeps statistics', async () => {
  const [fine, long, resting] = [
    await workspace.flow(FINE),
    await workspace.flow(LONG),
    await workspace.flow(RESTING),
  ];
  const [old, oldLong, young] = [
    await runToEnd(ada, fine),
    await runToEnd(ada, long),
    await runToEnd(ada, fine),
  ];
  const { id: live } = (await startRun(ada, resting)).body;
  expect(await stepsOf(oldLong.id)).toBeGreaterThan(20);
  await waitFor('the counters', async () => !(await runs().findOne({ unposted: true })));
  const before = await statistics();
  await runs().updateMany(
    { _id: { $in: [old.id, oldLong.id] } },
    { $set: { completedAt: daysAgo(30.01) } },
  );
  await runs().updateOne({ _id: young.id }, { $set: { completedAt: daysAgo(29.9) } });
  await runs().updateOne({ _id: live }, { $set: { createdAt: daysAgo(90) } });
  await restart();
  await waitFor('the removal', async () => (await runs().countDocuments()) === 2);
  for (const { id } of [old, oldLong]) {
    expect((await ada.call('GET', `/flows/runs/${id}`)).status).toBe(404);
    expect((await ada.call('GET', `/flows/runs/${id}/steps`)).status).toBe(404);
    expect(await stepsOf(id)).toBe(0);
  }
  expect((await getRun(ada, young.id)).status).toBe('SUCCESS');
  expect(['QUEUED', 'RUNNING', 'WAITING']).toContain((await getRun(ada, live)).status);
  expect(await totalElements()).toBe(2);
  expect(await statistics()).toEqual(before);
  await ada.call('POST', `/flows/runs/${live}/cancel`);
  await endOf(ada, live);
});

it('ends right after kill -9 in the middle of it, more than once', async () => {
  const many = 900;
  const [kept] = await runs().find({ status: 'SUCCESS' }).toArray();
  if (!kept) throw new Error('no run');
  const before = await totalElements();
  const statsBefore = await statistics();
  const old: RunDocument[] = Array.from({ length: many }, (_, n) => ({
    ...kept,
    _id: 1_000_000 + n,
    startedAt: daysAgo(40),
    completedAt: daysAgo(40),
    entries: 5,
    moved: 3,
    uncounted: true,
    unposted: true,
  }));
  await runs().insertMany(old);
  await steps().insertMany(
    old.flatMap(({ _id }) => [1, 2, 3].map((n) => ({ _id: runStepId(_id, n), n, key: `k${n}` }))),
  );
  for (let left = many; left > 0; ) {
    await server.kill();
    await server.restart();
    const most = Math.max(left - 250, 0);
    const gone = await waitFor('some to go', async () => {
      const found = await runs().countDocuments({ _id: { $gte: 1_000_000 } });
      return found <= most && { found };
    });
    left = gone.found;
  }
  expect(await steps().countDocuments({ _id: { $gt: '1000000/', $lt: '1000999/~' } })).toBe(0);
  await waitFor('the end', async () => !(await runs().findOne({ expired: true })));
  expect(await totalElements()).toBe(before);
  expect((await statistics()).totalRuns).toBe(Number(statsBefore.totalRuns) + many);
  expect(await countedBytes()).toBe(await bytesByRecount());
});

async function countedBytes(): Promise<number> {
  const rollups = await database
    .collection<RollupDocument>('run_tallies')
    .find({ workspaceId: workspace.id })
    .toArray();
  const of = (name: string) => rollups.find(({ _id }) => _id === `${name}/${workspace.id}`)?.bytes;
  return (of('inputs') ?? 0) + (of('results') ?? 0) - (of('removed') ?? 0);
}

async function bytesByRecount(): Promise<number> {
  const all = await runs().find({ workspaceId: workspace.id }).toArray();
  return all.reduce(
    (sum, { baseBytes = 0, journalBytes = 0, resultBytes = 0 }) =>
      sum + baseBytes + journalBytes + resultBytes,
    0,
  );
}
