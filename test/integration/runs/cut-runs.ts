import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '@workspace-automation/flow-language';
import type { OutboundRequest } from '@workspace-automation/outbound-http';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { Admission } from '../../../services/runs/engine/admission/admission.ts';
import type { EndedRun } from '../../../services/runs/engine/execution/jobs.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { storeRun } from '../../../services/runs/starts/prepare-run.ts';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import { CUTS, CuttingProxy, type Outage } from '../../helpers/cutting-proxy.ts';
import { startTestDatabase, type TestDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, newRun, RUN_MODELS, shareOf, waitOf, workerOf } from './engine.ts';

/** Runs that a worker has room for: each of another owner, whose workspace may have one run. */
const ROOM = 6;
/** Bytes that a run takes of a worker's memory at least. */
const RUN_BYTES = 128 * 1024;
/** Milliseconds that a lasting outage lasts. */
const OUTAGE_MS = 300;
/** Commands of a few runs and their worker. More of them mean a loop without an end. */
const MAX_COMMANDS = 300;
/**
 * Passes over all commands, until each kind of write was cut, and a start that is written with its claim. A command
 * of the worker's own, as of its sweep, may come between two commands of a run: then a pass misses the second.
 */
const MAX_PASSES = 3;

/** Two calls one after another, a wait, a set, and a call more. */
const [first, second, third] = callsTo('/a', '/b', '/c').tasks;
const plan: Plan = {
  ...callsTo(),
  tasks: [first, second, ...waitOf(60).tasks, third].flatMap((task, at) =>
    task ? [{ ...task, path: `/do/${at}/${task.name}` }] : [],
  ),
};
/** The keys of its calls, each behind the run's id. */
const KEYS = ['/do/0/call0//1', '/do/1/call1//1', '/do/4/call2//1'];
/** Claims of a run that nobody takes over: at first, and after its wait. */
const CLAIMS = 2;

let proxy: CuttingProxy;
let database: TestDatabase;
let worker: RunWorker;
let admission: Admission;
let ended: EndedRun[] = [];
let calls: OutboundRequest[] = [];

beforeAll(async () => {
  database = await startTestDatabase(RUN_MODELS, async (uri) => {
    proxy = await CuttingProxy.start(uri);
    return proxy.uri;
  });
});
beforeEach(async () => {
  const anyFree = jest.spyOn(Admission.prototype, 'hasRoom', 'get');
  worker = workerOf({
    maxSleepMs: 0, // the wait suspends the run
    plan,
    send: async (request) => {
      calls.push(request);
      return 'answer';
    },
    concurrency: ROOM,
    workspaceConcurrency: 1,
    memoryBytes: ROOM * RUN_BYTES,
    announceEnd: (end) => ended.push(end),
  });
  await worker.start();
  admission = anyFree.mock.contexts[0] as Admission;
  anyFree.mockRestore();
});
afterEach(() => worker.stop());
afterAll(async () => {
  await database.end();
  await proxy.stop();
});

/** Whether all of the worker's room is free: as many runs as it has room for could begin at once. */
function isRoomFree(): boolean {
  const shares = Array.from({ length: ROOM }, (_, at) => shareOf(at + 1));
  const reservations = shares.map((share) => admission.reserve(share));
  const isFull = !admission.mayTake(shareOf(ROOM + 1));
  for (const reservation of reservations) reservation?.release();
  return isFull && reservations.every((reservation) => reservation !== null);
}

interface Beginning {
  prepare?: (run: RunDocument) => Promise<unknown>;
  begin: (run: RunDocument) => unknown;
  /** Commands that write its runs. */
  writes: string[];
}

/** Starts that met an outage with a run that was written with its claim. */
let claimsCut = 0;

async function storeMeetingOutage(run: RunDocument): Promise<void> {
  await storeRun(run).finally(() => {
    if (run.worker && proxy.cut === 'insert') claimsCut++;
  });
}

const BEGINNINGS = {
  'started here': {
    begin: (run) => worker.store(run, storeMeetingOutage),
    writes: ['insert', 'update', 'findAndModify'],
  },
  'queued and claimed': {
    prepare: storeRun,
    begin: () => worker.wake(),
    writes: ['update', 'findAndModify'],
  },
} satisfies Record<string, Beginning>;

const hasEnded = ({ _id }: RunDocument) => ended.some(({ runId }) => runId === _id);

/** Lets runs meet an outage. Returns which command met it, if any. */
async function meet(
  count: number,
  { prepare, begin }: Beginning,
  outage: Outage,
): Promise<string | undefined> {
  [ended, calls] = [[], []];
  const runs = Array.from({ length: count }, (_, at) => newRun({ workspaceId: at + 1 }));
  if (prepare) await Promise.all(runs.map(prepare));
  proxy.order(outage);
  const beginning = Promise.allSettled(runs.map(async (run) => begin(run)));
  await waitFor('the outage or the ends', () => proxy.cut || runs.every(hasEnded));
  if (outage.lasting && proxy.cut) await sleep(OUTAGE_MS);
  const { cut } = await proxy.end();
  const stored = await storedOf(runs, await beginning);
  await waitFor('the ends', () => stored.every(hasEnded), 20_000);
  await waitFor('all room', isRoomFree, 5_000);
  for (const { _id } of stored) {
    const run = await RunModel.findById(_id).orFail().lean<RunDocument>();
    assertEndedOnce(run);
    assertCalls(run);
  }
  expect(ended).toHaveLength(stored.length);
  return cut;
}

/** The runs that are stored: at least those whose start was answered. */
async function storedOf(runs: readonly RunDocument[], starts: PromiseSettledResult<unknown>[]) {
  const stored = await RunModel.find({ _id: { $in: runs.map(({ _id }) => _id) } }).lean();
  const ids = stored.map(({ _id }) => _id);
  for (const [at, start] of starts.entries()) {
    if (start.status === 'fulfilled') expect(ids).toContain(runs[at]?._id);
    else expect([start.reason, isDatabaseAway(start.reason)]).toEqual([start.reason, true]);
  }
  return runs.filter(({ _id }) => ids.includes(_id));
}

function assertEndedOnce(run: RunDocument): void {
  expect(run).toMatchObject({ status: 'SUCCESS', output: '"answer"' });
  expect([run.worker, run.live, run.ready]).toEqual([undefined, undefined, undefined]);
  expect(run.journal.map(({ n }) => n)).toEqual(run.journal.map((_, at) => at + 1));
  expect(ended.filter((end) => end.runId === run._id)).toMatchObject([
    { run: { status: 'SUCCESS' } },
  ]);
}

/** Each call is made with its own key. One whose end was not written is made again, before the next one. */
function assertCalls({ _id, fence }: RunDocument): void {
  const keys = calls
    .map(({ ownHeaders }) => String(ownHeaders?.['idempotency-key']))
    .filter((key) => key.startsWith(`installation/${_id}/`));
  expect(keys.filter((key, at) => key !== keys[at - 1])).toEqual(
    KEYS.map((key) => `installation/${_id}${key}`),
  );
  // A takeover raises the fence, and so does the claim behind it. A run whose wait is over by its turn has one claim.
  const takeovers = Math.max(fence - CLAIMS, 0) / 2;
  expect(keys.length - KEYS.length).toBeLessThanOrEqual(takeovers);
}

const OUTAGES = CUTS.flatMap((lost) => [true, false].map((lasting) => ({ lost, lasting })));
const COUNTED = {
  'all commands': () => true,
  'writes of runs': (command: string, collection: string) =>
    collection === RunModel.collection.name && !['find', 'aggregate', 'getMore'].includes(command),
};

type Cuts = [count: number, counted: keyof typeof COUNTED];

/** Tests of runs, so many at once, of which an outage meets each counted command once. */
export function testCuts(name: keyof typeof BEGINNINGS, ...cuts: Cuts[]): void {
  const beginning: Beginning = BEGINNINGS[name];
  describe.each(cuts)(`${name}: %d at once, %s`, (count, counted) => {
    it.each(OUTAGES)(
      'a lost $lost, lasting: $lasting',
      async (outage) => {
        const wanted = counted === 'all commands' ? ['find'] : beginning.writes;
        const cuts = new Set<string>();
        // Whether a start is written with its claim is up to the claims under way: a pass may cut none such.
        const isMissing = () =>
          wanted.some((write) => !cuts.has(write)) || (name === 'started here' && claimsCut === 0);
        for (let pass = 0; pass < MAX_PASSES && isMissing(); pass++) {
          for (let at = 1; ; at++) {
            const cut = await meet(count, beginning, { ...outage, at, counts: COUNTED[counted] });
            if (cut === undefined) break;
            cuts.add(cut);
            expect(at).toBeLessThan(MAX_COMMANDS);
          }
        }
        expect([...cuts]).toEqual(expect.arrayContaining(wanted));
      },
      300_000,
    );
  });
}

/** A test, after the others of its file, that an outage has met starts of runs that are written with their claims. */
export function testClaimsCut(): void {
  it('has cut starts of runs that were written with their claims', () => {
    expect(claimsCut).toBeGreaterThan(0);
  });
}
