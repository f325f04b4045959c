/** What the whole design rests on: a run may stop anywhere and comes out the same. */
import fc from 'fast-check';
import type { Host, Outcome, Performed, PerformRequest, Step } from '../../interpreter/host.ts';
import { interpret } from '../../interpreter/interpret.ts';
import { keyOfFirstAttempt } from '../../interpreter/position.ts';
import type { Plan } from '../../plan.ts';
import { SandboxUnavailable } from '../../sandbox/errors.ts';
import { FlakyEvaluator } from './flaky-evaluator.ts';
import { plans, world } from './random-plan.ts';
import { TestHost, toEnd } from './test-host.ts';

/** Jumps make some random runs long or endless; those are cut and left out. */
const MOST_EFFECTS = 60;
const MOST_STEPS = 400;
class Endless extends Error {}

class BoundedHost extends TestHost {
  override perform(request: PerformRequest): Promise<Performed> {
    if (this.done.length > MOST_EFFECTS) throw new Endless();
    return super.perform(request);
  }

  override record(step: Step): void {
    if (this.steps.length > MOST_STEPS) throw new Endless();
    super.record(step);
  }

  constructor(evaluated: Iterable<string> = []) {
    super(world);
    this.evaluator = new FlakyEvaluator(evaluated);
  }
}

/** The seed of the evaluation whose failure has this key in the journal: all attempts of a visit share their seeds. */
function seedOf(noteKey: string): string {
  const [key = '', counter] = noteKey.split('#');
  return `7 ${keyOfFirstAttempt(key)} ${counter}`;
}

/** The reference: never waits for anything, is never interrupted, knows no journal. */
async function uninterrupted(plan: Plan): Promise<{ host: TestHost; outcome: Outcome } | null> {
  const host = new BoundedHost();
  try {
    return { host, outcome: await untilItLives(plan, host) };
  } catch (thrown) {
    if (thrown instanceof Endless) return null;
    throw thrown;
  }
}

class Died extends Error {}

/** Dies at the given effects, before or after it was journalled. */
class DyingHost extends BoundedHost {
  readonly #deaths: Set<number>;
  #effects = 0;

  constructor(deaths: readonly number[]) {
    super();
    this.#deaths = new Set(deaths);
  }

  override async perform(request: PerformRequest) {
    if (this.journal.has(request.position.key)) return super.perform(request);
    this.#effects += 1;
    if (this.#deaths.has(this.#effects * 2)) throw new Died('before');
    const performed = await super.perform(request);
    if (this.#deaths.has(this.#effects * 2 + 1)) throw new Died('after');
    return performed;
  }
}

async function untilItLives(plan: Plan, host: TestHost): Promise<Outcome> {
  for (;;) {
    try {
      return await toEnd(plan, host);
    } catch (thrown) {
      if (!(thrown instanceof Died || thrown instanceof SandboxUnavailable)) throw thrown;
    }
  }
}

/**
 * Defines the tests of the properties that replays have. Each property is tried on `numRuns` random plans,
 * or on as many as 8 s allow.
 */
export function testReplays(numRuns: number): void {
  const runs = { numRuns, interruptAfterTimeLimit: 8_000 };

  test('effects have keys of their own', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const run = await uninterrupted(plan);
        fc.pre(run !== null);
        expect(new Set(run.host.done).size).toBe(run.host.done.length);
        const steps = run.host.steps.map(({ position }) => position.key);
        expect(new Set(steps).size).toBe(steps.length);
      }),
      runs,
    );
  });

  test('a replay from any prefix of the journal goes on as the run went', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(MOST_EFFECTS), async (plan, length) => {
        const run = await uninterrupted(plan);
        fc.pre(run !== null);
        const prefix = [...run.host.journal].slice(0, length);
        const host = new BoundedHost(prefix.map(([key]) => seedOf(key)));
        for (const [key, performed] of prefix) {
          host.journal.set(key, performed);
          host.clock = Math.max(host.clock, performed.completedAt);
        }
        expect(await untilItLives(plan, host)).toEqual(run.outcome);
        expect([...host.journal]).toEqual([...run.host.journal]);
        const known = new Set(prefix.map(([key]) => key));
        expect(host.done).toEqual(run.host.done.filter((key) => !known.has(key)));
        if (run.outcome.kind !== 'timed-out') expect(host.steps).toEqual(run.host.steps);
      }),
      runs,
    );
  });

  test('a run that dies anywhere, any number of times, ends as if it had not', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.array(fc.nat(40), { maxLength: 6 }), async (plan, deaths) => {
        const run = await uninterrupted(plan);
        fc.pre(run !== null);
        const host = new DyingHost(deaths);
        expect(await untilItLives(plan, host)).toEqual(run.outcome);
        expect([...host.journal]).toEqual([...run.host.journal]);
        expect(host.done).toEqual(run.host.done);
        if (run.outcome.kind === 'timed-out') return; // a replay may find the end one task earlier
        expect(host.steps).toEqual(run.host.steps);
        expect([...host.open]).toEqual([]);
      }),
      runs,
    );
  });

  test('a complete journal needs nothing done and no clock', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const run = await uninterrupted(plan);
        fc.pre(run !== null && run.outcome.kind !== 'timed-out');
        const { host: done, outcome } = run;
        const host: Host = Object.assign(new TestHost(), {
          journal: done.journal,
          clock: done.clock,
        });
        expect(await interpret(plan, host)).toEqual(outcome);
        expect((host as TestHost).done).toEqual([]);
      }),
      runs,
    );
  });
}
