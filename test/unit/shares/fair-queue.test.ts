import fc from 'fast-check';
import { CpuLedger } from '../../../support/fair-shares/cpu-ledger.ts';
import { FairQueue, type FairQueueOptions } from '../../../support/fair-shares/fair-queue.ts';
import type { QueueLimits } from '../../../support/fair-shares/queue-limits.ts';
import type { Share } from '../../../support/fair-shares/share.ts';

const queueOf = (options: Partial<FairQueueOptions> = {}) =>
  new FairQueue({ concurrency: 1, refusal: () => new Error('full'), ...options });

/** `a1`: the owner a, in the first of their workspaces. `a1r7` begins a job of the run 7. */
function shareOf(name: string): Share {
  const share = { owner: name.charAt(0), tenant: name.slice(0, 2) };
  const run = /^..r(\d+)/.exec(name)?.[1];
  return run === undefined ? share : { ...share, run: Number(run) };
}

/** Jobs that end when they are told to. */
class Jobs {
  readonly started: string[] = [];
  readonly refused: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly #queue: FairQueue;

  constructor(queue: FairQueue) {
    this.#queue = queue;
  }

  /** Sends a job; its name begins with its owner and workspace. */
  async send(name: string, limits?: QueueLimits): Promise<void> {
    const done = this.#queue.run(
      shareOf(name),
      () =>
        new Promise<void>((resolve) => {
          this.started.push(name);
          this.#ends.set(name, resolve);
        }),
      limits,
    );
    done.catch(() => this.refused.push(name));
    await settled();
  }

  get underWay(): string[] {
    return [...this.#ends.keys()];
  }

  async end(name = this.underWay[0]): Promise<void> {
    if (name === undefined) return;
    this.#ends.get(name)?.();
    this.#ends.delete(name);
    await settled();
  }

  async endAll(): Promise<void> {
    while (this.#ends.size > 0) await this.end();
  }
}

const settled = () => new Promise(setImmediate);

test('turns go from owner to owner, and from workspace to workspace of an owner', async () => {
  const jobs = new Jobs(queueOf());
  for (const name of ['a1-0', 'a1-1', 'a1-2', 'a2-0', 'b1-0', 'b1-1']) await jobs.send(name);
  await jobs.endAll();
  expect(jobs.started).toEqual(['a1-0', 'a1-1', 'b1-0', 'a2-0', 'b1-1', 'a1-2']);
});

test('the runs of a workspace take turns', async () => {
  const jobs = new Jobs(queueOf());
  for (const name of ['a1r1-0', 'a1r1-1', 'a1r1-2', 'a1r2-0', 'a1r2-1', 'a1r3-0'])
    await jobs.send(name);
  await jobs.endAll();
  expect(jobs.started).toEqual(['a1r1-0', 'a1r1-1', 'a1r2-0', 'a1r3-0', 'a1r1-2', 'a1r2-1']);
});

test('a run that goes last goes behind the other runs of its workspace, and before no other owner', async () => {
  const jobs = new Jobs(queueOf({ isLast: ({ run }) => run === 1 }));
  for (const name of ['a1r1-0', 'a1r1-1', 'a1r1-2', 'a1r2-0', 'a1r2-1', 'b1r4-0', 'a1r3-0'])
    await jobs.send(name);
  await jobs.endAll();
  expect(jobs.started).toEqual([
    'a1r1-0',
    'a1r2-0',
    'b1r4-0',
    'a1r3-0',
    'a1r2-1',
    'a1r1-1',
    'a1r1-2',
  ]);
});

test('the last places are for owners without a job in flight', async () => {
  const jobs = new Jobs(queueOf({ concurrency: 5, reservedForNewOwners: 2 }));
  for (const name of ['a1-0', 'a1-1', 'a1-2', 'a1-3', 'b1-0', 'b1-1', 'c1-0', 'd1-0'])
    await jobs.send(name);
  expect(jobs.underWay).toEqual(['a1-0', 'a1-1', 'a1-2', 'b1-0', 'c1-0']);
  await jobs.end('a1-0');
  expect(jobs.underWay).toEqual(['a1-1', 'a1-2', 'b1-0', 'c1-0', 'd1-0']);
  for (const name of ['b1-0', 'c1-0', 'd1-0']) await jobs.end(name);
  expect(jobs.underWay).toEqual(['a1-1', 'a1-2', 'b1-1']);
  await jobs.endAll();
  expect(jobs.started).toHaveLength(8);
});

test('jobs in quarantine have one place together', async () => {
  const isQuarantined = ({ run }: Share) => run === 1 || run === 2;
  const jobs = new Jobs(queueOf({ concurrency: 3, isQuarantined }));
  for (const name of ['a1r1-0', 'a1r1-1', 'b1r2-0', 'a1r3-0', 'c1-0']) await jobs.send(name);
  expect(jobs.underWay).toEqual(['a1r1-0', 'a1r3-0', 'c1-0']);
  await jobs.send('a1r3-1');
  await jobs.end('c1-0');
  expect(jobs.underWay).toEqual(['a1r1-0', 'a1r3-0', 'a1r3-1']);
  await jobs.end('a1r1-0');
  expect(jobs.underWay).toEqual(['a1r3-0', 'a1r3-1', 'b1r2-0']);
  await jobs.end('b1r2-0');
  expect(jobs.underWay).toEqual(['a1r3-0', 'a1r3-1', 'a1r1-1']);
  await jobs.endAll();
});

test('a job that came into quarantine while it was in flight leaves the place of the quarantine alone', async () => {
  const quarantined = new Set<number>();
  const isQuarantined = ({ run = 0 }: Share) => quarantined.has(run);
  const jobs = new Jobs(queueOf({ concurrency: 2, isQuarantined }));
  await jobs.send('a1r1-0');
  quarantined.add(1);
  await jobs.send('a1r1-1');
  expect(jobs.underWay).toEqual(['a1r1-0', 'a1r1-1']);
  await jobs.end('a1r1-0');
  await jobs.send('a1r1-2');
  expect(jobs.underWay).toEqual(['a1r1-1']);
  await jobs.endAll();
  expect(jobs.started).toEqual(['a1r1-0', 'a1r1-1', 'a1r1-2']);
});

test('twenty workspaces of one owner hold up nobody more than one does', async () => {
  const jobs = new Jobs(queueOf({ concurrency: 2, perOwner: () => 1 }));
  for (let n = 10; n < 30; n++) await jobs.send(`a${n}`);
  await jobs.send('b1');
  expect(jobs.underWay).toEqual(['a10', 'b1']);
});

test('jobs in flight are divided, so that the long jobs of several owners leave room for another', async () => {
  const jobs = new Jobs(queueOf({ concurrency: 16, isDivided: true }));
  for (const owner of 'abc') {
    for (let n = 0; n < 20; n++) await jobs.send(`${owner}${n % 10}-${n}`);
  }
  const countOf = (owner: string) => jobs.underWay.filter((name) => name.startsWith(owner)).length;
  expect(countOf('a')).toBeLessThanOrEqual(12);
  expect(jobs.underWay.length).toBeLessThan(16);
  await jobs.send('d1');
  expect(countOf('d')).toBe(1);
});

test('an owner of a higher level goes behind the others, and is served when nobody else waits', async () => {
  const jobs = new Jobs(queueOf({ levelOf: (owner) => (owner === 'a' ? 1 : 0) }));
  for (const name of ['a1-0', 'a1-1', 'a1-2', 'b1-0', 'b1-1', 'c1-0']) await jobs.send(name);
  await jobs.endAll();
  expect(jobs.started).toEqual(['a1-0', 'b1-0', 'c1-0', 'b1-1', 'a1-1', 'a1-2']);
});

test('a newcomer goes before twenty-four owners who used about the same, and all of those in turn', async () => {
  const ledger = new CpuLedger(() => 0);
  const users = Array.from({ length: 24 }, (_, n) => String.fromCharCode(97 + n));
  for (const [n, owner] of users.entries()) ledger.charge(owner, 4_500 + 10 * n);
  const jobs = new Jobs(queueOf({ concurrency: 2, levelOf: (owner) => ledger.levelOf(owner) }));
  for (const owner of users) await jobs.send(`${owner}1`);
  await jobs.send('z1');
  await jobs.end();
  expect(jobs.started).toEqual(['a1', 'b1', 'z1']);
  await jobs.endAll();
  expect(jobs.started.slice(3)).toEqual(users.slice(2).map((owner) => `${owner}1`));
});

test('a newcomer starts at once while all owners above level 0 share the other places', async () => {
  const levelOf = (owner: string) => (owner === 'z' ? 0 : 1);
  const jobs = new Jobs(queueOf({ concurrency: 2, levelOf, concurrencyAboveLevel0: 1 }));
  for (const name of ['a1', 'b1', 'z1', 'z2']) await jobs.send(name);
  expect(jobs.underWay).toEqual(['a1', 'z1']);
  await jobs.end('z1');
  expect(jobs.underWay).toEqual(['a1', 'z2']);
  await jobs.end('a1');
  expect(jobs.underWay).toEqual(['z2', 'b1']);
});

test('who has used most is served once their use is forgotten, though others with less still wait', async () => {
  let now = 0;
  const ledger = new CpuLedger(() => now);
  ledger.charge('a', 50_000);
  const jobs = new Jobs(queueOf({ levelOf: (owner) => ledger.levelOf(owner) }));
  await jobs.send('b1');
  await jobs.send('a1');
  for (let n = 0; n < 15 && !jobs.started.includes('a1'); n++) {
    ledger.charge('b', 1_000);
    await jobs.send(`b2-${n}`);
    now += 5_000;
    await jobs.end();
  }
  expect(jobs.started).toContain('a1');
});

test('when it is full, it refuses the newest of whoever has most waiting', async () => {
  const jobs = new Jobs(queueOf({ maxQueued: 3 }));
  for (const name of ['a1-0', 'a1-1', 'a2-2', 'a1-3', 'b1-0', 'b1-1']) await jobs.send(name);
  expect(jobs.refused).toEqual(['a1-3', 'b1-1']);
  await jobs.endAll();
  expect(jobs.started).toEqual(['a1-0', 'a1-1', 'b1-0', 'a2-2']);
});

test.each([
  [{ maxQueuedPerOwner: 2 }, ['a2-3']], // of either workspace
  [{ maxQueuedPerTenant: 1 }, ['a1-2']],
])('refuses more than may wait: %j', async (limit, refused) => {
  const jobs = new Jobs(queueOf(limit));
  for (const name of ['a1-0', 'a1-1', 'a1-2', 'a2-3', 'b1-0']) await jobs.send(name);
  expect(jobs.refused).toEqual(refused);
  await jobs.endAll();
  await jobs.send('a1-9');
  expect(jobs.underWay).toEqual(['a1-9']);
});

test('what waits with other limits takes turns, and is counted and refused apart', async () => {
  const refusal = () => new Error('full');
  const few = { maxQueued: 3, maxQueuedPerTenant: 1, refusal };
  const more = { maxQueuedPerTenant: 2, refusal };
  const jobs = new Jobs(queueOf({ perOwner: () => 1 }));
  for (const name of ['a1-0', 'a1-1', 'a1-2']) await jobs.send(name, few);
  for (const name of ['a1-3', 'b1-4', 'a1-5', 'a1-6']) await jobs.send(name, more);
  expect(jobs.refused).toEqual(['a1-2', 'a1-6']);
  await jobs.endAll();
  expect(jobs.started).toEqual(['a1-0', 'a1-1', 'b1-4', 'a1-3', 'a1-5']);
  for (const name of ['a1-7', 'a1-8']) await jobs.send(name, few);
  expect(jobs.refused).toEqual(['a1-2', 'a1-6']);
});

test('a job whose signal is aborted while it waits is refused undone, and one in flight goes on', async () => {
  const queue = queueOf();
  const [started, waiting] = [new AbortController(), new AbortController()];
  const gate = Promise.withResolvers<string>();
  const first = queue.run(shareOf('a1'), () => gate.promise, undefined, started.signal);
  const work = jest.fn(async () => 'done');
  const second = queue.run(shareOf('a1'), work, undefined, waiting.signal);
  const third = queue.run(shareOf('a1'), async () => 'third');
  started.abort();
  waiting.abort();
  await expect(second).rejects.toThrow('full');
  await expect(queue.run(shareOf('b1'), work, undefined, waiting.signal)).rejects.toThrow('full');
  gate.resolve('first');
  expect([await first, await third]).toEqual(['first', 'third']);
  expect(work).not.toHaveBeenCalled();
});

test('a job that waits too long is refused undone', async () => {
  const jobs = new Jobs(queueOf({ queueTimeoutMs: 5 }));
  await jobs.send('a1');
  const refused = expect(queueOf({ queueTimeoutMs: 5 }).run(shareOf('b1'), async () => 'done'));
  await refused.resolves.toBe('done');
  await jobs.send('b1');
  while (jobs.refused.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await jobs.endAll();
  expect([jobs.started, jobs.refused]).toEqual([['a1'], ['b1']]);
});

test('a job that fails gives its turn on', async () => {
  const queue = queueOf();
  const failing = queue.run(shareOf('a1'), async () => {
    throw new Error('failed');
  });
  const next = queue.run(shareOf('a1'), async () => 'done');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('done');
});

describe('whatever is sent', () => {
  const name = fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'))
    .map((parts) => parts.join(''));
  const step = fc.oneof(
    { weight: 3, arbitrary: name },
    { weight: 2, arbitrary: fc.constant(null) },
  );
  const limits = fc.record({
    concurrency: fc.integer({ min: 1, max: 3 }),
    perOwner: fc.integer({ min: 1, max: 3 }),
    levels: fc.record({ a: fc.nat(2), b: fc.nat(2), c: fc.nat(2) }),
    concurrencyAboveLevel0: fc.integer({ min: 1, max: 3 }),
    perTenant: fc.integer({ min: 1, max: 2 }),
    maxQueued: fc.integer({ min: 1, max: 6 }),
    maxQueuedPerOwner: fc.integer({ min: 1, max: 4 }),
    maxQueuedPerTenant: fc.integer({ min: 1, max: 3 }),
  });
  const count = (names: Iterable<string>, prefix: string) =>
    [...names].filter((one) => one.startsWith(prefix)).length;

  test('limits hold, nobody waits who could start, and everybody comes to an end', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async (limit, steps) => {
        const levelOf = (owner: string) => new Map(Object.entries(limit.levels)).get(owner) ?? 0;
        const jobs = new Jobs(
          queueOf({
            ...limit,
            perOwner: () => limit.perOwner,
            perTenant: () => limit.perTenant,
            levelOf,
          }),
        );
        const heavy = () => jobs.underWay.filter((job) => levelOf(shareOf(job).owner) > 0).length;
        const sent: string[] = [];
        const waiting = () =>
          sent.filter((job) => !jobs.started.includes(job) && !jobs.refused.includes(job));
        for (const [n, owner] of steps.entries()) {
          if (owner === null) await jobs.end();
          else {
            sent.push(`${owner}-${n}`);
            await jobs.send(`${owner}-${n}`);
          }
          const { underWay } = jobs;
          expect(underWay.length).toBeLessThanOrEqual(limit.concurrency);
          expect(waiting().length).toBeLessThanOrEqual(limit.maxQueued);
          expect(heavy()).toBeLessThanOrEqual(limit.concurrencyAboveLevel0);
          for (const job of sent) {
            const { owner: o, tenant } = shareOf(job);
            expect(count(underWay, o)).toBeLessThanOrEqual(limit.perOwner);
            expect(count(underWay, tenant)).toBeLessThanOrEqual(limit.perTenant);
            expect(count(waiting(), o)).toBeLessThanOrEqual(limit.maxQueuedPerOwner);
            expect(count(waiting(), tenant)).toBeLessThanOrEqual(limit.maxQueuedPerTenant);
          }
          for (const job of waiting()) {
            const { owner: o, tenant } = shareOf(job);
            const isHeld =
              underWay.length === limit.concurrency ||
              count(underWay, o) === limit.perOwner ||
              count(underWay, tenant) === limit.perTenant ||
              (levelOf(o) > 0 && heavy() === limit.concurrencyAboveLevel0);
            expect(isHeld).toBe(true);
          }
        }
        await jobs.endAll();
        expect(waiting()).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('whoever starts has the lowest level of all who wait', async () => {
    const levels = fc.record({ a: fc.nat(3), b: fc.nat(3), c: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(levels, fc.array(name, { maxLength: 30 }), async (level, names) => {
        const levelOf = (owner: string) => new Map(Object.entries(level)).get(owner) ?? 0;
        const jobs = new Jobs(queueOf({ levelOf }));
        for (const [n, one] of names.entries()) await jobs.send(`${one}-${n}`);
        await jobs.endAll();
        const order = jobs.started.slice(1).map((job) => levelOf(shareOf(job).owner));
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }),
      { numRuns: 100 },
    );
  });

  test('an owner who waits sees nobody else start twice before them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 2, maxLength: 30 }), async (names) => {
        const jobs = new Jobs(queueOf());
        const sent = names.map((one, n) => `${one}-${n}`);
        for (const job of sent) await jobs.send(job);
        await jobs.endAll();
        const order = jobs.started.slice(1); // the first one met nobody
        for (const [at, job] of order.entries()) {
          const next = order.findIndex((other, n) => n > at && other[0] === job[0]);
          if (next < 0) continue;
          // Between two turns of an owner, each other owner with a job left has one as well.
          const between = new Set(order.slice(at + 1, next).map((other) => other[0]));
          const left = new Set(order.slice(next).map((other) => other[0]));
          left.delete(job[0]);
          for (const owner of left) expect(between).toContain(owner);
        }
      }),
      { numRuns: 200 },
    );
  });
});
