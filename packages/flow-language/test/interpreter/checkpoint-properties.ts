/** What checkpoints promise: a run that goes on from one comes out as the run that was not interrupted. */
import fc from 'fast-check';
import type { Outcome, PerformRequest, Step } from '../../interpreter/host.ts';
import { interpret } from '../../interpreter/interpret.ts';
import { Run } from '../../interpreter/run.ts';
import type { Plan } from '../../plan.ts';
import { CheckpointHost } from './checkpoint-host.ts';
import { forkedPlans, parallelPlans, plans, world } from './random-plan.ts';
import { evaluator, pick } from './test-host.ts';

const MOST_EFFECTS = 60;
const MOST_STEPS = 400;
class Endless extends Error {}

class BoundedHost extends CheckpointHost {
  readonly #computed = new Set<string>();

  /** Lets some evaluations take time, each the first time only, so that a repeated one takes none. */
  takeTimeToCompute(): this {
    const compute = (seed: string) => {
      if (!this.#computed.has(seed) && pick(seed, 4) === 0) this.clock += pick(`${seed} ms`, 300);
      this.#computed.add(seed);
    };
    this.evaluator = {
      evaluate(request) {
        compute(request.seed);
        return evaluator.evaluate(request);
      },
      test(request) {
        compute(request.seed);
        return evaluator.test(request);
      },
    };
    return this;
  }

  override perform(request: PerformRequest) {
    if (this.done.length > MOST_EFFECTS) throw new Endless();
    return super.perform(request);
  }

  override record(step: Step): void {
    if (this.steps.length > MOST_STEPS) throw new Endless();
    super.record(step);
  }

  /** All waits are short, so that one interpretation follows the whole run. */
  override maySleep(): boolean {
    return true;
  }
}

class SuspendedHost extends BoundedHost {
  override maySleep(untilMs = 0): boolean {
    return untilMs - this.clock <= 1_000;
  }
}

async function unlessEndless<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Endless) return null;
    throw thrown;
  }
}

/** What a step shows: its key, its input and its output. */
const shownOf = (steps: readonly Step[]): string[] =>
  steps.map(({ position, input, output }) => JSON.stringify([position.key, input, output]));

const keysOf = (steps: readonly Step[]): string[] => steps.map(({ position }) => position.key);

/** Follows a run to its end, going on from the checkpoint of each suspension. */
async function followSuspended(plan: Plan, host: SuspendedHost): Promise<Outcome> {
  const steps: Step[] = [];
  for (let resumes = 0; resumes < 200; resumes++) {
    const outcome = await interpret(plan, host);
    steps.push(...host.steps);
    if (outcome.kind !== 'suspended') {
      host.steps = steps;
      return outcome;
    }
    host.clock = Math.max(host.clock, outcome.wakeAt);
    const journal = [...host.journal];
    if (!outcome.checkpoint) throw new Error('a suspension made no checkpoint');
    const kept = host.keep(outcome.checkpoint);
    host.goOnFrom(kept, journal);
  }
  throw new Endless();
}

/** Lets branches yield to the event loop at some tasks, and so pass one another. */
function yieldByChance(seed: number): void {
  let tasks = 0;
  jest
    .spyOn(Run.prototype, 'isTurnOver', 'get')
    .mockImplementation(() => pick(`${seed} ${tasks++}`, 2) === 0);
}

/** Defines the tests of checkpoints, on `numRuns` random plans each or as many as 8 s allow. */
export function testCheckpoints(numRuns: number): void {
  const runs = { numRuns, interruptAfterTimeLimit: 8_000 };
  afterEach(() => jest.restoreAllMocks());

  test.each([
    ['tasks one after another', plans],
    ['branches', parallelPlans],
  ])('a run of %s goes on from any checkpoint to the same end', async (_, some) => {
    await fc.assert(
      fc.asyncProperty(some, fc.nat(200), async (plan, at) => {
        const host = new BoundedHost(world, 200).takeTimeToCompute();
        const outcome = await unlessEndless(() => interpret(plan, host));
        fc.pre(outcome !== null && outcome.kind !== 'timed-out' && host.clock < host.deadline);
        const kept = host.kept[at % Math.max(host.kept.length, 1)];
        fc.pre(kept !== undefined);
        // By its clock no time has passed: the journal alone tells what was in time.
        const later = new BoundedHost(world);
        later.goOnFrom(kept, host.journal);
        expect(await interpret(plan, later)).toEqual(outcome);
        expect(later.done).toEqual([]);
        expect(later.replaying()).toBe(false);
        const recorded = keysOf([...host.steps.slice(0, kept.steps), ...later.steps]);
        expect(new Set(recorded).size).toBe(recorded.length);
        const hasLosers = [...host.journal.keys()].some((key) => key.endsWith('#decided'));
        const known = keysOf(host.steps);
        // The steps of the branches that lost are recorded only by the interpretation that followed them.
        if (hasLosers) expect(recorded.filter((key) => !known.includes(key))).toEqual([]);
        else {
          expect(recorded.sort()).toEqual(known.sort());
          expect(shownOf(host.steps)).toEqual(expect.arrayContaining(shownOf(later.steps)));
        }
      }),
      runs,
    );
  });

  test('a run of branches that goes on from a checkpoint leaves a journal with the same end', async () => {
    await fc.assert(
      fc.asyncProperty(forkedPlans, fc.nat(), async (plan, seed) => {
        yieldByChance(seed);
        const host = new BoundedHost(world, 40);
        const first = await unlessEndless(() => interpret(plan, host));
        fc.pre(first !== null && first.kind !== 'timed-out' && host.clock < host.deadline);
        for (const kept of host.kept) {
          const journal = [...host.journal].slice(0, kept.length);
          // No later entry was durable: the branches may come to another end, which the journal then has.
          const resumed = new BoundedHost(world);
          resumed.goOnFrom(kept, journal);
          const outcome = await unlessEndless(() => interpret(plan, resumed));
          if (outcome === null || outcome.kind === 'timed-out') continue;
          const later = new BoundedHost(world);
          later.goOnFrom(null, new Map([...journal, ...resumed.journal]));
          expect(await interpret(plan, later)).toEqual(outcome);
          expect(later.done).toEqual([]);
          expect(later.replaying()).toBe(false);
        }
      }),
      runs,
    );
  });

  test('a run that is suspended again and again ends as if it had not', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const host = new BoundedHost(world).takeTimeToCompute();
        const outcome = await unlessEndless(() => interpret(plan, host));
        fc.pre(outcome !== null && outcome.kind !== 'timed-out' && host.clock < host.deadline);
        const suspended = new SuspendedHost(world).takeTimeToCompute();
        expect(await followSuspended(plan, suspended)).toEqual(outcome);
        expect(suspended.done).toEqual(host.done);
        expect(suspended.steps).toEqual(host.steps);
      }),
      runs,
    );
  });

  test('a complete journal of branches needs nothing done', async () => {
    await fc.assert(
      fc.asyncProperty(parallelPlans, async (plan) => {
        const host = new BoundedHost(world).takeTimeToCompute();
        const outcome = await unlessEndless(() => interpret(plan, host));
        fc.pre(outcome !== null && outcome.kind !== 'timed-out' && host.clock < host.deadline);
        expect(new Set(host.done).size).toBe(host.done.length);
        // By its clock no time has passed: the journal alone tells what was in time.
        const later = new BoundedHost(world);
        later.goOnFrom(null, host.journal);
        expect(await interpret(plan, later)).toEqual(outcome);
        expect(later.done).toEqual([]);
        expect(later.replaying()).toBe(false);
        const known = new Set(keysOf(host.steps));
        expect(keysOf(later.steps).filter((key) => !known.has(key))).toEqual([]);
      }),
      runs,
    );
  });
}
