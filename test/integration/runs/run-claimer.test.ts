import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { Admission } from '../../../services/runs/engine/admission/admission.ts';
import { MemoryBudget } from '../../../services/runs/engine/admission/memory-budget.ts';
import { Reservation } from '../../../services/runs/engine/admission/reservation.ts';
import { Slots } from '../../../services/runs/engine/admission/slots.ts';
import { WorkspaceLimit } from '../../../services/runs/engine/admission/workspace-limit.ts';
import { SEEK_TTL_MS, SNAPSHOT_TTL_MS } from '../../../services/runs/engine/claims/ready-list.ts';
import { CLAIM_ORDER } from '../../../services/runs/engine/claims/ready-runs.ts';
import {
  MAX_SNAPSHOT_RUNS,
  ReadySnapshot,
} from '../../../services/runs/engine/claims/ready-snapshot.ts';
import {
  type ClaimedRun,
  type ClaimOptions,
  RunClaimer,
} from '../../../services/runs/engine/claims/run-claimer.ts';
import { shareOfWorkspace } from '../../../support/fair-shares/share.ts';
import { newRun, onRunsDatabase, queueRun, storeRun } from './engine.ts';
import { numbersOf } from './numbers.ts';

onRunsDatabase();
afterEach(() => jest.restoreAllMocks());

const admissionOf = (slots: Slots, limit = 100) =>
  new Admission({
    slots,
    memory: new MemoryBudget(),
    workspaces: new WorkspaceLimit({
      limit,
      members: () => [{ id: 'me', capacity: 100 }],
      id: () => 'me',
    }),
  });

const claims = (more: Partial<ClaimOptions> = {}) =>
  new RunClaimer({
    worker: () => 'me',
    admission: admissionOf(new Slots({ concurrency: 1_000 })),
    ...more,
  });

/** Claims until there is nothing left, or no room; the runs in the order of the claims. */
async function claimAll(turns: RunClaimer): Promise<ClaimedRun[]> {
  const all: ClaimedRun[] = [];
  for (;;) {
    const claimed = await turns.claimNext();
    if (!claimed.length) return all;
    all.push(...claimed);
  }
}

/** In which workspaces. */
const order = async (turns: RunClaimer): Promise<number[]> =>
  (await claimAll(turns)).map(({ run }) => run.workspaceId);

/** The first of the runs that are claimed next. */
const next = async (turns: RunClaimer): Promise<RunDocument | undefined> =>
  (await turns.claimNext())[0]?.run;

const queueRuns = async (workspaceIds: number[], shareOwner?: string): Promise<void> => {
  const owner = shareOwner ? { shareOwner } : {};
  const runs = workspaceIds.map((workspaceId) => newRun({ workspaceId, ...owner }));
  await RunModel.insertMany(runs, { lean: true });
};
/** Ids of so many workspaces, from 1. */
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

/** Calls `meet` between the query of the next look and the end of the look. */
function meetLook(meet: () => unknown) {
  const take = ReadySnapshot.take;
  return jest.spyOn(ReadySnapshot, 'take').mockImplementationOnce(async () => {
    const snapshot = await take();
    await meet();
    return snapshot;
  });
}
/** Calls `meet` before the next single claim is sent. */
function meetClaim(meet: () => unknown): void {
  const send = RunModel.findOneAndUpdate.bind(RunModel) as (...args: unknown[]) => object;
  jest.spyOn(RunModel, 'findOneAndUpdate').mockImplementationOnce(((...args: unknown[]) => ({
    async lean() {
      await meet();
      return send(...args);
    },
  })) as never);
}
/** Lets another worker claim ready runs. */
const claimElsewhere = (filter: object) =>
  RunModel.updateMany({ ready: true, ...filter }, { worker: 'other', $unset: { ready: 1 } });

test('owners take turns, however many runs one of them has', async () => {
  await queueRuns([7, 7, 7, 7, 7, 7, 8, 9, 9]);
  expect(await order(claims())).toEqual([7, 8, 9, 7, 9, 7, 7, 7, 7]);
});

test('an owner takes no more turns with many workspaces, and the workspaces take turns in theirs', async () => {
  await queueRuns([1, 1, 1, 2, 3, 3, 4], 'person:1');
  await queueRuns([9, 9, 9], 'person:2');
  expect(await order(claims())).toEqual([1, 9, 2, 9, 3, 9, 4, 1, 3, 1]);
});

test('owners come by how much they have used, and all of them come', async () => {
  await queueRuns([1, 2, 3, 4]);
  await queueRuns([2, 3, 4]);
  const levelOf = (owner: string) => ({ 'person:2': 5, 'person:3': 0, 'person:4': 2 })[owner] ?? 0;
  expect(await order(claims({ levelOf }))).toEqual([1, 3, 3, 4, 4, 2, 2]);
});

test('of twenty-four owners who used about the same and a newcomer, the newcomer is claimed next', async () => {
  const slots = new Slots({ concurrency: 16, levelOf });
  function levelOf(owner: string) {
    return owner === 'person:99' ? 0 : 4;
  }
  for (let n = 1; n <= 24; n++) await queueRuns([n, n]);
  const turns = claims({ admission: admissionOf(slots), levelOf });
  const taken = await order(turns);
  expect([taken.length, new Set(taken).size]).toEqual([15, 15]); // the last slot is kept
  await queueRuns([99]);
  turns.invalidateReadyList();
  expect(await order(turns)).toEqual([99]);
});

test('a pass ends where more ready runs than a list has match no claim', async () => {
  await queueRuns(Array.from({ length: MAX_SNAPSHOT_RUNS + 1 }, (_, n) => 1 + (n % 3)));
  await RunModel.collection.updateMany({}, { $set: { readyAt: null } });
  expect(await order(claims())).toEqual([]);
});

test.each([{ readyAt: null }, { workspaceId: 'x' }, { workspaceId: null }])(
  'runs that match no claim keep back no other run, of their workspace or of another owner: %p',
  async (damage) => {
    await queueRuns(upTo(MAX_SNAPSHOT_RUNS + 1), 'person:1');
    await RunModel.collection.updateMany({}, { $set: damage });
    await queueRuns([7, 7], 'person:1');
    await queueRun({ workspaceId: 7, shareOwner: 'person:1', fence: 1, readyAt: new Date() });
    await queueRuns([99, 99], 'person:2');
    const levelOf = (owner: string) => (owner === 'person:1' ? 0 : 1);
    const turns = claims({ levelOf, now: () => 0 });
    expect(await order(turns)).toEqual([7, 7, 7, 99, 99]);
    expect(turns.isSeeking).toBe(true);
  },
);

test('who holds nothing here is claimed before the ten thousand runs of who holds all they may', async () => {
  const slots = new Slots({ concurrency: 4 });
  const { _id, ...run } = await queueRun({ shareOwner: 'person:1' });
  const runs = Array.from({ length: 10_000 }, (_, n) => ({
    ...run,
    _id: _id + n + 1,
    workspaceId: 1 + (n % 100),
  }));
  await RunModel.insertMany(runs, { lean: true });
  const turns = claims({ admission: admissionOf(slots) });
  expect(await order(turns)).toEqual([1, 2, 3]);
  await queueRun({ _id: _id + 20_000, workspaceId: 500 });
  turns.invalidateReadyList();
  expect(await order(turns)).toEqual([500]);

  const read = async (filter: object, limit: number) => {
    const query = RunModel.find({ ready: true, ...filter })
      .sort(CLAIM_ORDER)
      .limit(limit);
    return (await query.explain('executionStats')) as unknown as { executionStats: Read };
  };
  const listed = (await read({}, MAX_SNAPSHOT_RUNS)).executionStats;
  expect(listed.totalKeysExamined).toBeLessThanOrEqual(MAX_SNAPSHOT_RUNS);
  const inWorkspace = { shareOwner: 'person:1', workspaceId: 70 };
  for (const filter of [
    { shareOwner: { $gt: 'person:1' } },
    { shareOwner: 'person:1', workspaceId: { $gt: 50 } },
    inWorkspace,
    { ...inWorkspace, readyAt: { $exists: false } },
    { ...inWorkspace, readyAt: { $gt: new Date(0) } },
  ]) {
    const { totalKeysExamined, totalDocsExamined } = (await read(filter, 1)).executionStats;
    expect(totalKeysExamined).toBeLessThanOrEqual(2);
    expect(totalDocsExamined).toBeLessThanOrEqual(2);
  }
});
type Read = Record<'totalKeysExamined' | 'totalDocsExamined', number>;

describe.each([3, MAX_SNAPSHOT_RUNS])('of %d resumed runs and as many new ones', (count) => {
  const kindsOf = (runs: readonly ClaimedRun[]) =>
    runs.map(({ run }) => (run._id > lastResumed ? 'new' : 'resumed'));
  let lastResumed = 0;
  async function resumeRuns(): Promise<void> {
    for (let n = 1; n <= count; n++)
      lastResumed = (await queueRun({ fence: 1, readyAt: new Date(n) }))._id;
  }

  test('a workspace takes one of each kind in turn, each kind from the oldest on', async () => {
    await resumeRuns();
    await queueRuns(Array(count).fill(1));
    const claimed = await claimAll(claims());
    expect(kindsOf(claimed)).toEqual(Array(count).fill(['new', 'resumed']).flat());
    for (const kind of ['new', 'resumed']) {
      const ids = claimed.filter((one) => kindsOf([one])[0] === kind).map(({ run }) => run._id);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    }
  });

  test('a new run that comes among resumed ones is claimed second at the latest', async () => {
    await resumeRuns();
    let now = 0;
    const turns = claims({ now: () => now });
    await turns.claimNext();
    const { _id } = await queueRun();
    turns.invalidateReadyList();
    now += SNAPSHOT_TTL_MS + 1; // claims have not looked for new runs since the first claim
    const ids = [await next(turns), await next(turns)].map((run) => run?._id);
    expect(ids).toContain(_id);
  });
});

test('a look lists ready runs for the claims that follow, until there is news', async () => {
  await queueRuns([1, 2, 3, 3]);
  const looks = jest.spyOn(ReadySnapshot, 'take');
  const turns = claims();
  expect(await order(turns)).toEqual([1, 2, 3, 3]);
  expect(await order(turns)).toEqual([]);
  expect([looks.mock.calls.length, turns.mayFindRun]).toEqual([1, false]);
  await queueRuns([4]);
  expect(await next(turns)).toBeUndefined();
  turns.invalidateReadyList();
  expect(turns.mayFindRun).toBe(true);
  expect((await next(turns))?.workspaceId).toBe(4);
});

test('a newcomer who has used less is claimed after a tenth of a second, whatever a look listed', async () => {
  let now = 0;
  const levelOf = (owner: string) => (owner === 'person:9' ? 0 : 3);
  const slots = new Slots({ concurrency: 2 });
  const turns = claims({ admission: admissionOf(slots), levelOf, now: () => now });
  await queueRuns([1, 2, 3, 1, 2, 3]);
  const [first, second] = await claimAll(turns);
  expect([first, second].map((claimed) => claimed?.run.workspaceId)).toEqual([1, 2]);
  await queueRuns([9]);
  turns.invalidateReadyList();
  first?.reservation.release();
  const [third] = await claimAll(turns);
  expect(third?.run.workspaceId).toBe(3);
  now = SNAPSHOT_TTL_MS + 1;
  third?.reservation.release();
  expect(await order(turns)).toEqual([9]);
});

test('once ready runs are few again they are listed again', async () => {
  let now = 0;
  const turns = claims({ now: () => now });
  await queueRuns(upTo(MAX_SNAPSHOT_RUNS + 5));
  const looks = jest.spyOn(ReadySnapshot, 'take');
  for (let n = 1; n <= 10; n++) expect(await next(turns)).toBeDefined();
  now = SEEK_TTL_MS + 1;
  expect(await order(turns)).toHaveLength(MAX_SNAPSHOT_RUNS - 5);
  expect(looks).toHaveBeenCalledTimes(2);
});

test('a newcomer is claimed at once while all that a look listed may not be', async () => {
  const slots = new Slots({ concurrency: 4 });
  await queueRuns([1, 1, 1, 1, 1]);
  const turns = claims({ admission: admissionOf(slots) });
  await order(turns);
  expect(slots.mayTake(shareOfWorkspace('person:1', 1))).toBe(false);
  await queueRuns([2]);
  turns.invalidateReadyList();
  expect((await next(turns))?.workspaceId).toBe(2);
});

test('two workers that list the same runs claim each once', async () => {
  const workspaceIds = Array.from({ length: 60 }, (_, n) => 1 + (n % 7));
  await queueRuns(workspaceIds);
  const workers = ['me', 'other'].map((name) => claims({ worker: () => name }));
  const claimed = await Promise.all(workers.map(order));
  expect(claimed.flat().toSorted()).toEqual(workspaceIds.toSorted());
  expect(claimed.map(({ length }) => length > 0)).toEqual([true, true]);
});

test('in a workspace the oldest run is first: what has begun goes on before what is queued', async () => {
  const begun = await queueRun({
    status: 'WAITING',
    startedAt: new Date(5),
    deadlineAt: new Date(9),
  });
  await queueRun();
  const first = await next(claims());
  expect(first).toMatchObject({
    _id: begun._id,
    status: 'RUNNING',
    worker: 'me',
    fence: 1,
    startedAt: new Date(5),
    deadlineAt: new Date(9),
  });
  expect(first).not.toHaveProperty('ready');
});

test('a first claim starts the run and its timeout', async () => {
  await queueRun({ timeoutMs: 5_000 });
  const before = Date.now();
  const run = await next(claims());
  expect(Number(run?.deadlineAt) - Number(run?.startedAt)).toBe(5_000);
  expect(Number(run?.startedAt)).toBeGreaterThanOrEqual(before);
  expect(Number(run?.startedAt)).toBeLessThanOrEqual(Date.now());
});

test('a workspace has no more runs under way than it may, and holds up nobody else', async () => {
  await queueRuns([1, 1, 1, 1, 2]);
  const limited = claims({ admission: admissionOf(new Slots({ concurrency: 100 }), 2) });
  const claimed = await claimAll(limited);
  expect(claimed.map(({ run }) => run.workspaceId)).toEqual([1, 2, 1]);
  claimed[0]?.reservation.release(); // one that waits is held no more
  expect(await order(limited)).toEqual([1]);
});

/** Lets an admission take room for one run only before each single claim. */
function oneAtATime(admission: Admission): Admission {
  const claim = jest.spyOn(RunModel, 'findOneAndUpdate').mockClear();
  const reserve = admission.reserve.bind(admission);
  let reserved = 0;
  jest.spyOn(admission, 'reserve').mockImplementation((share) => {
    const reservation = reserved > claim.mock.calls.length ? null : reserve(share);
    if (reservation) reserved++;
    return reservation;
  });
  return admission;
}

test('runs that are claimed together are those of single claims, in their order', async () => {
  const random = numbersOf(7);
  const batches = jest.spyOn(RunModel, 'updateMany');
  for (let round = 0; round < 25; round++) {
    const levels = Array.from({ length: 6 }, () => Math.max(0, random(6) - 3));
    const levelOf = (owner: string) => levels[Number(owner.slice('person:'.length))] ?? 0;
    const concurrency = 2 + random(24);
    const limit = 1 + random(8);
    const fields = Array.from({ length: 1 + random(MAX_SNAPSHOT_RUNS - 1) }, () => {
      const owner = random(6);
      const workspaceId = 1 + owner * 10 + random(3);
      // A run that was held before is claimed alone.
      const before = random(8) ? {} : { readyAt: new Date() };
      return { shareOwner: `person:${owner}`, workspaceId, ...before } as const;
    });
    const claimedBy = async (admission: Admission) => {
      await RunModel.deleteMany({});
      const runs = fields.map(newRun);
      await RunModel.insertMany(runs, { lean: true });
      const at = new Map(runs.map(({ _id }, index) => [_id, index]));
      const all = await claimAll(claims({ admission, levelOf }));
      return all.map(({ run }) => at.get(run._id));
    };
    const admission = () => admissionOf(new Slots({ concurrency, levelOf }), limit);
    const together = await claimedBy(admission());
    const before = batches.mock.calls.length;
    expect(together).toEqual(await claimedBy(oneAtATime(admission())));
    expect(batches).toHaveBeenCalledTimes(before);
    expect(together.length).toBeGreaterThan(0);
  }
  expect(batches.mock.calls.length).toBeGreaterThan(10);
});

test('of runs that another worker has claimed meanwhile, the room is given back', async () => {
  const turns = claims({ admission: admissionOf(new Slots({ concurrency: 3 })) });
  await queueRuns([1, 2, 3]);
  meetLook(() => claimElsewhere({ workspaceId: 2 }));
  const claimed = await turns.claimNext();
  expect(claimed.map(({ run }) => run.workspaceId)).toEqual([1, 3]);
  expect(await order(turns)).toEqual([]);
  for (const { reservation } of claimed) reservation.release();
  await queueRuns([4, 5, 6]);
  turns.invalidateReadyList();
  expect(await order(turns)).toHaveLength(3); // all slots are free again
});

test('claims of which the outcome is unknown keep no room, and are looked for anew', async () => {
  const turns = claims();
  await queueRuns([1, 2, 3]);
  jest.spyOn(RunModel, 'updateMany').mockRejectedValueOnce(new Error('away'));
  await expect(turns.claimNext()).rejects.toThrow('away');
  expect(turns.mayFindRun).toBe(true);
  expect(await order(turns)).toEqual([1, 2, 3]);
});

test('a run that is told of during a claim which finds none stays listed', async () => {
  const turns = claims();
  await queueRuns([1]);
  const added = newRun();
  const claim = jest.spyOn(RunModel, 'findOneAndUpdate');
  claim.mockImplementationOnce((() => ({
    async lean() {
      await claimElsewhere({});
      await storeRun(added);
      turns.addReadyRun(added, turns.renewals);
      return null;
    },
  })) as never);
  expect((await next(turns))?._id).toBe(added._id);
});

test('what a look may have seen is unknown until its end, and after the news of a write before it', async () => {
  const turns = claims();
  expect(await next(turns)).toBeUndefined();
  expect(turns.mayPassReady('person:1')).toBe(true);
  const [during, before] = [newRun(), newRun()];
  const { renewals } = turns;
  const look = meetLook(async () => {
    expect(turns.mayPassReady('person:1')).toBe(false);
    await storeRun(during);
    turns.addReadyRun(during, turns.renewals);
  });
  turns.invalidateReadyList();
  expect((await next(turns))?._id).toBe(during._id);
  expect(await next(turns)).toBeUndefined();
  expect(turns.mayPassReady('person:1')).toBe(true);
  turns.addReadyRun(before, renewals);
  expect(turns.mayBeReady(during._id)).toBe(true); // it is listed no more
  expect(await next(turns)).toBeUndefined();
  expect(look).toHaveBeenCalledTimes(3);
});

test('a new run passes ready runs of other owners only while none of them may begin', async () => {
  const slots = new Slots({ concurrency: 2 });
  const turns = claims({ admission: admissionOf(slots) });
  expect(await next(turns)).toBeUndefined();
  turns.addReadyRun(newRun({ workspaceId: 2 }), turns.renewals);
  expect(turns.mayPassReady('person:1')).toBe(false);
  slots.acquire(shareOfWorkspace('person:2', 2));
  expect([1, 2].map((owner) => turns.mayPassReady(`person:${owner}`))).toEqual([true, false]);
});

test('a listed run is still claimed when an older one that became ready takes its claim', async () => {
  const older = newRun();
  const listed = await queueRun();
  meetLook(() => storeRun(older));
  const turns = claims();
  expect([(await next(turns))?._id, (await next(turns))?._id]).toEqual([older._id, listed._id]);
});

test('a listed run is still claimed when one that is told of during its claim takes the claim', async () => {
  const [older, listed] = [newRun(), newRun()];
  const turns = claims();
  expect(await next(turns)).toBeUndefined();
  await storeRun(listed);
  turns.addReadyRun(listed, turns.renewals);
  meetClaim(async () => {
    await storeRun(older);
    turns.addReadyRun(older, turns.renewals);
  });
  expect([(await next(turns))?._id, (await next(turns))?._id]).toEqual([older._id, listed._id]);
});

test('runs that were held before are claimed one at a time', async () => {
  const batches = jest.spyOn(RunModel, 'updateMany');
  for (const workspaceId of upTo(3)) await queueRun({ workspaceId, readyAt: new Date() });
  expect(await order(claims())).toEqual([1, 2, 3]);
  expect(batches).not.toHaveBeenCalled();
});

test.each([
  [1, 4_000, 1],
  [1, 4_001, 0],
  [3, 4_001, 0],
])('of %i runs whose claim takes %i ms, %i begin', async (ready, ms, begun) => {
  await queueRuns(upTo(ready));
  let now = 0;
  for (const command of ['findOneAndUpdate', 'updateMany'] as const) {
    const send = (RunModel[command] as (...args: unknown[]) => object).bind(RunModel);
    jest.spyOn(RunModel, command).mockImplementation(((...args: unknown[]) => {
      now += ms;
      return send(...args);
    }) as never);
  }
  const end = jest.spyOn(Reservation.prototype, 'release');
  const claimed = await claims({ now: () => now }).claimNext();
  expect([claimed.length, end.mock.calls.length]).toEqual([begun, ready - begun]);
  expect(await RunModel.countDocuments({ worker: 'me', fence: 1 })).toBe(ready);
});
