import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { e2e } from '../fixtures/e2e.ts';
import { CUTS, CuttingProxy, type Outage } from '../helpers/cutting-proxy.ts';
import { endOf, type RunAnswer, runTask } from '../helpers/runs.ts';
import { dataFolder } from '../helpers/server.ts';
import { startDatabase } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

/** The commands of a run with a child run that write runs. More of them mean a loop without an end. */
const MAX_WRITES = 40;
const WRITES = ['insert', 'update', 'findAndModify'];

let proxy: CuttingProxy;
let client: MongoClient;
const { server, owner, workspace, api } = e2e({
  oneProcess: true,
  env: async () => {
    const database = await startDatabase(dataFolder());
    proxy = await CuttingProxy.start(database.uri);
    client = new MongoClient(database.uri);
    return { MONGODB_URI: proxy.uri, OUTBOUND_ALLOW: '127.0.0.0/8' };
  },
});
afterAll(async () => {
  await client.close();
  await proxy.stop();
});
const runs = () => client.db().collection<{ _id: number } & Record<string, unknown>>('runs');

const PATHS = ['/ok/before', '/ok/child', '/ok/after'] as const;
/** Stores a flow that runs another, which rests first. Returns its id. */
async function storeFamily(...rest: object[]): Promise<number> {
  const [before, within, after] = PATHS.map((path, at) => ({ [`call${at}`]: api.task(path) }));
  const child = await workspace.flow(JSON.stringify({ do: [...rest, within] }));
  const tasks = [before, { child: runTask(child) }, after];
  return workspace.flow(JSON.stringify({ do: tasks }));
}

const NONE = 0;
const ofFamily = (runId: number): object => ({ $or: [{ _id: runId }, { 'parent.runId': runId }] });

/** Lets a run with a child run meet the outage at one of its writes. Returns the run, and whether it has met the outage. */
async function meet(
  flowId: number,
  outage: Pick<Outage, 'at' | 'lost'>,
  meanwhile: (runId: number) => Promise<unknown>,
): Promise<{ run: RunAnswer; isMet: boolean }> {
  api.calls.length = 0;
  proxy.order({
    ...outage,
    lasting: true,
    counts: (command, collection) => collection === 'runs' && WRITES.includes(command),
  });
  const headers = { 'idempotency-key': randomUUID() };
  const start = () =>
    owner.call<RunAnswer>('POST', `/flows/${flowId}/runs`, { headers }).catch(() => null);
  let started = await start();
  const idOf = () => (started && started.status < 300 ? started.body.id : NONE);
  await waitFor('the outage or the end', async () => {
    if (proxy.cut) return true;
    return idOf() !== NONE && (await runs().countDocuments({ _id: idOf(), live: true })) === 0;
  });
  const isMet = proxy.cut !== undefined;
  await meanwhile(idOf());
  await proxy.end();
  await waitFor('the start', async () => {
    if (idOf() === NONE) started = await start();
    return idOf() !== NONE;
  });
  const run = await endOf(owner, idOf());
  const left = { ...ofFamily(run.id), familyPending: true };
  await waitFor('the end of the family', async () => (await runs().countDocuments(left)) === 0);
  expect(await runs().countDocuments({ ...ofFamily(run.id), live: true })).toBe(0);
  return { run, isMet };
}

/** Plays the family with an outage at its first write, then at its second, and so on. Returns their number. */
async function meetAll(play: (at: number) => Promise<{ isMet: boolean }>): Promise<number> {
  for (let at = 1; at <= MAX_WRITES; at++) if (!(await play(at)).isMet) return at - 1;
  throw new Error(`a family has more than ${MAX_WRITES} writes`);
}

test.each(CUTS)(
  'a family whose process is killed at any write, whose %s is lost, ends once',
  async (lost) => {
    const flowId = await storeFamily();
    const met = await meetAll(async (at) => {
      const { run, isMet } = await meet(flowId, { at, lost }, async () => {
        await server.kill();
        await proxy.end();
        await server.restart();
      });
      expect([at, run.status]).toEqual([at, 'SUCCESS']);
      for (const path of PATHS) expect([path, new Set(api.keysOf(path)).size]).toEqual([path, 1]);
      expect(await runs().countDocuments({ 'parent.runId': run.id })).toBe(1);
      return { isMet };
    });
    expect(met).toBeGreaterThan(6);
  },
);

test('a family that another process cancels at any write leaves no live run', async () => {
  const flowId = await storeFamily({ rest: { wait: { seconds: 2 } } });
  const statuses = new Set<string>();
  await meetAll(async (at) => {
    const cancel = (_id: number) =>
      runs().updateOne({ _id, live: true }, { $set: { cancelRequestedAt: new Date() } });
    const { run, isMet } = await meet(flowId, { at, lost: 'command' }, cancel);
    statuses.add(run.status);
    if (run.status === 'CANCELLED') expect(api.keysOf('/ok/after').length).toBeLessThan(2);
    return { isMet };
  });
  expect(statuses).toEqual(new Set(['CANCELLED', 'SUCCESS']));
});
