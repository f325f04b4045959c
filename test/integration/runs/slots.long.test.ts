import { EvaluationError, type Plan } from '@workspace-automation/flow-language';
import { RunModel } from '../../../models/run.model.ts';
import { SlotLease } from '../../../services/runs/engine/admission/slot-lease.ts';
import { Slots } from '../../../services/runs/engine/admission/slots.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  callsTo,
  endOf,
  onRunsDatabase,
  queueRun,
  runOf,
  shareOf,
  untilAborted,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();

const GREEDY = 1;
const OTHER = 2;

/** How many slots are got by a workspace that takes as many as it may. */
function greed(slots: Slots, share: Share): number {
  let taken = 0;
  for (; slots.mayTake(share); taken++) slots.acquire(share);
  return taken;
}

test.each([
  [1, 1, 1],
  [2, 1, 1],
  [4, 3, 2],
  [16, 12, 10],
  [48, 36, 32],
])('of %i slots an owner alone gets %i, in one workspace %i', (concurrency, ofOwner, ofOne) => {
  const slots = new Slots({ concurrency });
  const inOne = greed(slots, shareOf(GREEDY, 1));
  let all = inOne;
  for (let n = 2; n <= 20; n++) all += greed(slots, shareOf(GREEDY, n));
  expect([all, inOne]).toEqual([ofOwner, ofOne]);
  expect(greed(slots, shareOf(OTHER))).toBeGreaterThan(0);
});

test('one slot counts as two, for runs that have released theirs as well', () => {
  const releasedOf = (concurrency: number) => {
    const slots = new Slots({ concurrency });
    let released = 0;
    for (let n = 1; n <= 20; n++) {
      if (!slots.mayTake(shareOf(n))) break;
      slots.acquire(shareOf(n));
      if (slots.release(shareOf(n))) released++;
    }
    return [slots.count, released];
  };
  expect(releasedOf(1)).toEqual(releasedOf(2));
});

test('two owners who take all they may leave a slot for a third', () => {
  const slots = new Slots({ concurrency: 16 });
  for (const owner of [1, 2]) greed(slots, shareOf(owner));
  expect(slots.mayTake(shareOf(3))).toBe(true);
});

test('a run that releases its slot takes one again by the same rule, and ends as well when aborted', async () => {
  const slots = new Slots({ concurrency: 4 });
  const greedy = (workspaceId: number) => shareOf(GREEDY, workspaceId);
  const end = new AbortController();
  const leases = [1, 2, 3].map((n) => new SlotLease(slots, greedy(n)));
  expect(slots.release(greedy(1))).toBe(true);
  slots.acquire(greedy(4));
  let back = false;
  const returning = slots.reacquire(greedy(1), end.signal).then((entered) => {
    back = entered;
  });
  await Promise.resolve();
  expect([back, slots.mayTake(shareOf(OTHER))]).toEqual([false, true]);
  leases[2]?.end();
  await returning;
  expect(back).toBe(true);
  expect(slots.release(greedy(1))).toBe(true);
  slots.acquire(greedy(4));
  const given = slots.reacquire(greedy(1), end.signal);
  end.abort();
  expect(await given).toBe(false);
});

test('of those that want a slot back, who has used least comes first', async () => {
  const slots = new Slots({ concurrency: 2, levelOf: (owner) => (owner === 'person:1' ? 1 : 0) });
  const { signal } = new AbortController();
  const order: number[] = [];
  const holders = [3, 4].map((n) => new SlotLease(slots, shareOf(n)));
  const returning = [1, 2].map(async (n) => {
    slots.acquire(shareOf(n));
    slots.release(shareOf(n));
    await slots.reacquire(shareOf(n), signal);
    order.push(n);
    slots.free(shareOf(n));
  });
  for (const holder of holders) holder.end();
  await Promise.all(returning);
  expect(order).toEqual([2, 1]);
});

describe('a run that ends while it waits for a slot again', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** Its call was answered after others had taken both slots. */
  async function returning() {
    const slots = new Slots({ concurrency: 2 });
    const lease = new SlotLease(slots, shareOf(1));
    const answer = Promise.withResolvers<void>();
    const waiting = lease.waitFor(() => answer.promise);
    jest.advanceTimersByTime(1_000);
    const others = [2, 3].map((owner) => new SlotLease(slots, shareOf(owner)));
    expect(slots.hasFreeSlot).toBe(false);
    answer.resolve();
    for (let n = 0; n < 10; n++) await Promise.resolve();
    return { slots, lease, waiting, others };
  }

  test.each(['before', 'just after'])('%s one is free holds none', async (when) => {
    const { slots, lease, waiting, others } = await returning();
    if (when === 'before') lease.end();
    for (const other of others) other.end();
    if (when === 'just after') lease.end();
    await waiting;
    await Promise.resolve();
    expect([1, 4].map((owner) => greed(slots, shareOf(owner)))).toEqual([1, 1]);
  });
});

describe('owners who have used CPU time that counts', () => {
  const levelOf = (owner: string) => (['person:4', 'person:5'].includes(owner) ? 0 : 3);
  const holders = (slots: Slots, owners: number[]) =>
    owners.map((owner) => new SlotLease(slots, shareOf(owner)));
  const who = (slots: Slots) => [1, 2, 3, 5].filter((owner) => slots.mayTake(shareOf(owner)));

  test('leave the last slot to others, however many they are', () => {
    const slots = new Slots({ concurrency: 16, levelOf });
    for (let n = 10; slots.mayTake(shareOf(n)); n++) slots.acquire(shareOf(n));
    expect(who(slots)).toEqual([5]);
  });

  test('yield a slot to others before their next expression, and nothing more', async () => {
    const slots = new Slots({ concurrency: 4, levelOf });
    const leases = holders(slots, [1, 2, 3]);
    for (const lease of leases) await lease.compute(async () => 'done');
    expect(who(slots)).toEqual([5]);
    const other = holders(slots, [4]);
    expect(who(slots)).toEqual([]);
    for (const lease of leases) expect(await lease.compute(async () => 'done')).toBe('done');
    expect(who(slots)).toEqual([5]);
    const another = holders(slots, [5]);
    expect(slots.hasFreeSlot).toBe(false);
    for (const lease of [...other, ...another]) lease.end();
    expect(who(slots)).toEqual([5]); // what was yielded is not for them
    for (const lease of leases) lease.end();
    expect(who(slots)).toEqual([1, 2, 3, 5]);
    expect(greed(slots, shareOf(6))).toBe(2); // four slots as before
  });

  test('wait for a slot that is not the last one, to go on in', async () => {
    const slots = new Slots({ concurrency: 4, levelOf });
    const { signal } = new AbortController();
    const [first, ...leases] = holders(slots, [1, 2, 3]);
    expect(slots.release(shareOf(1))).toBe(true);
    leases.push(...holders(slots, [6]));
    let back = false;
    const returning = slots.reacquire(shareOf(1), signal).then(() => {
      back = true;
    });
    await new Promise(setImmediate);
    expect([back, slots.mayTake(shareOf(4))]).toEqual([false, true]);
    leases[0]?.end();
    await returning;
    expect(first).toBeDefined();
  });
});

test('expressions of a run that has ended while they waited are not evaluated', async () => {
  const slots = new Slots({ concurrency: 4 });
  const [ended, interrupted, other] = [1, 2, 3].map((n) => new SlotLease(slots, shareOf(n)));
  const interruption = new AbortController();
  interrupted?.setRun(2, interruption.signal);
  const gate = Promise.withResolvers<void>();
  const before = Array.from({ length: 4 }, (_, n) =>
    slots.expressions.run(shareOf(10 + n), () => gate.promise),
  );
  const work = jest.fn(async () => 'done');
  const refused = [ended, interrupted].map((lease) =>
    expect(lease?.compute(work)).rejects.toThrow('the run has ended'),
  );
  const done = other?.compute(async () => 'done');
  ended?.end();
  interruption.abort();
  gate.resolve();
  await Promise.all([...before, ...refused]);
  expect(await done).toBe('done');
  expect(work).not.toHaveBeenCalled();
});

test('expressions that meet a limit bring their run into quarantine, and several of them their owner', async () => {
  const slots = new Slots({ concurrency: 8 });
  const leaseOf = (owner: number, run: number) => {
    const lease = new SlotLease(slots, shareOf(owner));
    lease.setRun(run, new AbortController().signal);
    return lease;
  };
  const isQuarantined = (lease: SlotLease) => lease.compute(async (quarantined) => quarantined);
  const meetLimit = async (lease: SlotLease) => {
    const error = new EvaluationError('EXPRESSION_TIMEOUT', 'it took too long');
    const work = () => Promise.reject(error);
    await expect(lease.compute(work)).rejects.toBe(error);
  };
  const [first, second, other] = [leaseOf(1, 1), leaseOf(1, 2), leaseOf(2, 3)];
  await meetLimit(first);
  expect([await isQuarantined(first), await isQuarantined(second)]).toEqual([true, false]);
  await meetLimit(first);
  await meetLimit(first);
  expect(await isQuarantined(second)).toBe(true);
  expect(await isQuarantined(other)).toBe(false);
});

test('an expression that fails brings nobody into quarantine', async () => {
  const lease = new SlotLease(new Slots({ concurrency: 2 }), shareOf(1));
  lease.setRun(1, new AbortController().signal);
  const work = () => Promise.reject(new EvaluationError('EXPRESSION_FAILED', 'it fails'));
  for (let n = 0; n < 5; n++) await expect(lease.compute(work)).rejects.toThrow('it fails');
  expect(await lease.compute(async (quarantined) => quarantined)).toBe(false);
});

test('an owner has a part of the starts of child runs, and an aborted start never begins', async () => {
  const slots = new Slots({ concurrency: 4 });
  const [greedy, other] = [
    new SlotLease(slots, shareOf(GREEDY)),
    new SlotLease(slots, shareOf(OTHER)),
  ];
  const abort = new AbortController();
  const gate = Promise.withResolvers<void>();
  const begun: number[] = [];
  const start = (lease: SlotLease, owner: number) =>
    lease.startChild(5, abort.signal, () => {
      begun.push(owner);
      return gate.promise;
    });
  const starts = Array.from({ length: 40 }, () => start(greedy, GREEDY));
  const otherStart = start(other, OTHER);
  const ends = Promise.allSettled([...starts, otherStart]);
  await waitFor('the starts', () => begun.includes(OTHER) && begun.length === 17);
  abort.abort();
  gate.resolve();
  const refused = (await ends).filter(({ status }) => status === 'rejected');
  expect([begun.length, refused.length]).toEqual([17, 24]);
});

test('starts of child runs that wait for turns of paced owners keep no other owner waiting', async () => {
  const greedy = [GREEDY, OTHER + 1].map((owner) => shareOf(owner));
  const isPaced = (owner: string) => owner !== shareOf(OTHER).owner;
  const slots = new Slots({ concurrency: 100, isPaced });
  for (const { owner } of greedy) slots.charge(owner, 1_000);
  const { signal } = new AbortController();
  let begun = 0;
  const start = async () => {
    begun++;
  };
  const paced = Array.from({ length: 64 }, (_, at) => {
    const lease = new SlotLease(slots, greedy[at % 2] ?? shareOf(GREEDY));
    return lease.startChild(5, signal, start);
  });
  await new SlotLease(slots, shareOf(OTHER)).startChild(5, signal, async () => {
    expect(begun).toBe(0);
  });
  expect(begun).toBeLessThan(64);
  await Promise.all(paced);
});

test('each start of a child run is charged to the owner, and none that was aborted before', async () => {
  const charges: number[] = [];
  const slots = new Slots({ concurrency: 4, charge: (_, ms) => charges.push(ms) });
  const lease = new SlotLease(slots, shareOf(1));
  const { signal } = new AbortController();
  for (let n = 0; n < 3; n++) await lease.startChild(5, signal, async () => undefined);
  expect(charges).toEqual([5, 5, 5]);
  const aborted = lease.startChild(5, AbortSignal.abort(), async () => undefined);
  await expect(aborted).rejects.toThrow('aborted');
  expect(charges).toEqual([5, 5, 5]);
});

test('owners who have used little keep their slots', async () => {
  const slots = new Slots({ concurrency: 4 });
  const leases = [1, 1, 2, 3].map((owner) => new SlotLease(slots, shareOf(owner)));
  for (const lease of leases) await lease.compute(async () => 'done');
  expect(slots.mayTake(shareOf(4))).toBe(false);
});

test.each([1, 4])(
  'calls that hang of one owner hold up no other, with %i slots',
  async (concurrency) => {
    const hanging = new Set<string>();
    for (let n = 0; n < 30; n++) await queueRun({ workspaceId: GREEDY });
    const worker = workerOf({
      plan: callsTo('/a'),
      concurrency,
      send: async ({ signal, ownHeaders }) => {
        const key = String(ownHeaders?.['idempotency-key']);
        const run = await runOf(Number(key.split('/')[0]));
        if (run.workspaceId === OTHER) return 'fine';
        hanging.add(key);
        return untilAborted(signal);
      },
    });
    await started(worker);
    await waitFor('calls that hang', () => hanging.size >= Math.max(1, concurrency - 1));
    const { _id } = await queueRun({ workspaceId: OTHER });
    worker.wake();
    await endOf({ _id }, 'SUCCESS');
    // Those that only wait make room for the next, up to a limit.
    await waitFor('more of them', () => hanging.size > concurrency, 8_000);
    expect(await RunModel.countDocuments({ worker: { $gt: '' } })).toBeLessThanOrEqual(
      6 * Math.max(concurrency, 2),
    );
  },
  20_000,
);

test('expressions of one owner hold up no other', async () => {
  const plan: Plan = {
    ...callsTo(),
    tasks: [
      {
        kind: 'set',
        name: 'compute',
        path: '/do/0/compute',
        value: { kind: 'expression', expression: { source: '$run', variables: ['run'] } },
      },
    ],
  };
  const release = new AbortController();
  for (let n = 0; n < 30; n++) await queueRun({ workspaceId: GREEDY });
  const worker = workerOf({
    plan,
    evaluator: {
      evaluate: async ({ variables }) => {
        const { workspaceId } = variables.run as { workspaceId: number };
        if (workspaceId === OTHER || release.signal.aborted) return 'fine';
        return new Promise((resolve) =>
          release.signal.addEventListener('abort', () => resolve('late')),
        );
      },
      test: async () => true,
    },
  });
  await started(worker);
  await waitFor(
    'the greedy',
    async () => (await RunModel.countDocuments({ worker: { $gt: '' } })) > 1,
  );
  const { _id } = await queueRun({ workspaceId: OTHER });
  worker.wake();
  await endOf({ _id }, 'SUCCESS');
  release.abort();
});

test('an owner whose CPU time others miss has one expression under way, others two', async () => {
  const slots = new Slots({
    concurrency: 4,
    isCrowding: (owner) => owner === shareOf(GREEDY).owner,
  });
  const ended = Promise.withResolvers<void>();
  let begun = 0;
  const begin = (owner: number) =>
    slots.expressions.run(shareOf(owner), () => {
      begun++;
      return ended.promise;
    });
  const all = [begin(GREEDY), begin(GREEDY), begin(OTHER), begin(OTHER)];
  await waitFor('three expressions', async () => begun === 3 || undefined);
  ended.resolve();
  await Promise.all(all);
  expect(begun).toBe(4);
});
