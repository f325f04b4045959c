import { setImmediate } from 'node:timers/promises';
import {
  EngineTurns,
  type EngineTurnsOptions,
} from '../../../services/runs/engine/admission/engine-turns.ts';
import type { Share } from '../../../support/fair-shares/share.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => jest.useRealTimers());

const shareOf = (owner: string): Share => ({ owner, tenant: `${owner}1` });

/** Runs that compute in each turn, for a time of the test's clock, and wait for nothing else. */
class Loops {
  readonly turns: EngineTurns;
  /** The owners of the turns so far. */
  readonly begun: string[] = [];
  readonly #end = new AbortController();
  #now = 0;

  constructor(options: EngineTurnsOptions = {}) {
    this.turns = new EngineTurns({ ...options, now: () => this.#now });
  }

  add(owner: string, { runs = 1, turnMs = 6 } = {}): void {
    for (let run = 0; run < runs; run++) void this.#loop(owner, turnMs);
  }

  async #loop(owner: string, turnMs: number): Promise<void> {
    for (;;) {
      await this.turns.take(shareOf(owner), turnMs, this.#end.signal);
      if (this.#end.signal.aborted) return;
      this.begun.push(owner);
      this.turns.count(owner, turnMs);
      this.#now += turnMs;
    }
  }

  /** Lets passes of the event loop go by in which nothing else happens. */
  async pass(passes: number): Promise<void> {
    for (let n = 0; n < passes; n++) await setImmediate();
  }

  /** Lets time go by, a millisecond in each pass of the event loop. */
  async rest(ms: number): Promise<void> {
    for (let n = 0; n < ms; n++) {
      this.#now += 1;
      jest.advanceTimersByTime(1);
      await setImmediate();
    }
  }

  get now(): number {
    return this.#now;
  }

  turnsOf(owner: string): number {
    return this.begun.filter((each) => each === owner).length;
  }

  async end(): Promise<void> {
    this.#end.abort();
    await setImmediate();
  }
}

test('of many runs that compute without a break, one has a turn in a pass of the event loop', async () => {
  const loops = new Loops();
  loops.add('a', { runs: 20 });
  await loops.pass(10);
  expect(loops.begun.length).toBeLessThanOrEqual(11);
  expect(loops.begun.length).toBeGreaterThanOrEqual(8);
  await loops.end();
});

test('short turns share a pass', async () => {
  const loops = new Loops();
  loops.add('a', { runs: 20, turnMs: 0.5 });
  await loops.pass(10);
  expect(loops.begun.length).toBeGreaterThanOrEqual(80);
  expect(loops.begun.length).toBeLessThanOrEqual(130);
  await loops.end();
});

test('owners take turns, however many runs they have', async () => {
  const loops = new Loops();
  loops.add('a', { runs: 20 });
  loops.add('b');
  await loops.pass(40);
  expect(Math.abs(loops.turnsOf('a') - loops.turnsOf('b'))).toBeLessThanOrEqual(1);
  await loops.end();
});

test('an owner of a lower level comes first', async () => {
  const loops = new Loops({ levelOf: (owner) => (owner === 'light' ? 0 : 3) });
  loops.add('heavy', { runs: 5 });
  await loops.pass(5);
  loops.begun.length = 0;
  loops.add('light');
  await loops.pass(10);
  expect(loops.turnsOf('heavy')).toBeLessThanOrEqual(1);
  await loops.end();
});

test('paced owners together use half of the time', async () => {
  const loops = new Loops({ isPaced: () => true });
  loops.add('a', { runs: 10 });
  loops.add('b', { runs: 10 });
  await loops.rest(600);
  const workMs = loops.begun.length * 6;
  expect(workMs / loops.now).toBeGreaterThan(0.4);
  expect(workMs / loops.now).toBeLessThanOrEqual(0.55);
  expect(Math.abs(loops.turnsOf('a') - loops.turnsOf('b'))).toBeLessThanOrEqual(1);
  await loops.end();
});

test('a paced owner goes on beside work of another that is never paid', async () => {
  const loops = new Loops({ isPaced: () => true });
  const rest = async (ms: number) => {
    for (let n = 0; n < ms; n++) {
      loops.turns.count('greedy', 2); // short runs do this work, which wait for no turn
      await loops.rest(1);
    }
  };
  await rest(100);
  loops.add('moderate');
  await rest(1_000);
  expect((loops.turnsOf('moderate') * 6) / 1_000).toBeGreaterThan(0.4);
  await loops.end();
});

test('a paced owner does not wait until owners have paid whose runs have ended', async () => {
  const loops = new Loops({ isPaced: () => true });
  for (let n = 0; n < 50; n++) loops.turns.count(`idle${n}`, 1_000);
  loops.add('a');
  await loops.rest(1_000);
  expect((loops.turnsOf('a') * 6) / 1_000).toBeGreaterThan(0.4);
  await loops.end();
});

test('a paced owner makes no other owner wait, and no run of its own that has done little', async () => {
  const loops = new Loops({ isPaced: (owner) => owner === 'heavy' });
  loops.turns.count('heavy', 500);
  loops.add('heavy', { runs: 10 });
  await loops.pass(5);
  expect(loops.begun).toEqual([]);
  loops.add('light');
  await loops.pass(5);
  expect(loops.turnsOf('light')).toBeGreaterThanOrEqual(3);
  const short = { goesOn: false };
  void loops.turns.take(shareOf('heavy'), 1, null).then(() => {
    short.goesOn = true;
  });
  await loops.pass(5);
  expect([short.goesOn, loops.turnsOf('heavy')]).toEqual([true, 0]);
  await loops.end();
});

test('an owner who is no longer paced goes on although the debt is not paid', async () => {
  let isPaced = true;
  const loops = new Loops({ isPaced: () => isPaced });
  loops.turns.count('a', 1_000);
  loops.add('a');
  await loops.rest(100);
  expect(loops.begun).toEqual([]);
  isPaced = false;
  await loops.rest(60);
  expect(loops.begun.length).toBeGreaterThan(1);
  await loops.end();
});

test('a run that is interrupted waits no longer', async () => {
  const turns = new EngineTurns({ isPaced: () => true });
  turns.count('a', 1_000);
  const cancel = new AbortController();
  const waits = turns.take(shareOf('a'), 100, cancel.signal);
  cancel.abort();
  await waits;
  await turns.take(shareOf('a'), 100, cancel.signal);
  expect(cancel.signal.aborted).toBe(true);
});
