/** Checkpoints made while branches end that another branch has ended, and after that. */
import { setImmediate } from 'node:timers/promises';
import type { Checkpoint } from '../../interpreter/checkpoint.ts';
import type { Outcome, Performed, PerformRequest } from '../../interpreter/host.ts';
import { Run } from '../../interpreter/run.ts';
import type { Plan } from '../../plan.ts';
import { CheckpointHost } from './checkpoint-host.ts';
import { evaluator, follow, plan, toEnd, type World } from './test-host.ts';

afterEach(() => jest.restoreAllMocks());

const world: World = ({ position: { name } }) =>
  name.startsWith('fails') ? { fails: { status: 500 } } : { value: name };

/** Lets the task behind `loser` wait for its turn while the other calls end and the run offers checkpoints. */
class LateLoserHost extends CheckpointHost {
  readonly #calls: (() => void)[] = [];
  readonly #isTurnOver = jest.spyOn(Run.prototype, 'isTurnOver', 'get').mockReturnValue(false);

  override async perform(request: PerformRequest): Promise<Performed> {
    const performed = await super.perform(request);
    if (request.position.name === 'loser') await this.#endCallsWithNextTurn();
    else await new Promise<void>((end) => this.#calls.push(end));
    return performed;
  }

  async #endCallsWithNextTurn(): Promise<void> {
    await setImmediate(); // all other calls are under way
    this.#isTurnOver.mockImplementationOnce(() => {
      for (const end of this.#calls) end();
      return true;
    });
  }
}

/** The end of the run when it goes on from each checkpoint, with no later entry of the journal. */
async function endsFromCheckpoints(flow: Plan, host: CheckpointHost): Promise<Outcome[]> {
  const ends: Outcome[] = [];
  for (const kept of host.kept) {
    const later = new CheckpointHost(world);
    later.goOnFrom(kept, [...host.journal].slice(0, kept.length));
    ends.push(await toEnd(flow, later));
  }
  return ends;
}

const call = '{ call: http, with: { method: get, endpoint: "https://a.test/" } }';
const ending = call.replace(/}$/, ', then: end }');
const beside = (task: string): string => `
do:
  - outer:
      fork:
        branches:
          - inner: ${task}
          - other:
              do:
                - asks: ${call}
${[1, 2, 3, 4, 5].map((n) => `                - s${n}: { set: { n: ${n} } }`).join('\n')}
`;
const loser = `{ loser: ${call} }, { later: { set: { n: 1 } } }`;
const raise = '{ raises: { raise: { error: { type: "https://a.test/e", status: 400 } } } }';
const fork = (first: string, second: string, compete = false): string =>
  `{ fork: { compete: ${compete}, branches: [{ b1: { do: [${first}] } }, { b2: { do: [${second}] } }] } }`;
const attempt = (task: string): string =>
  `{ try: [{ within: ${task} }], catch: { do: [{ caught: { set: { caught: true } } }] } }`;
const pick =
  "{ pick: { switch: [{ one: { when: '#{ $item = 1 }', then: fails } }, { two: { then: loser } }] } }";

test.each([
  ['a race', fork(`{ first: ${call} }`, `${loser}, ${raise}`, true)],
  ['a failure', attempt(fork(`{ fails: ${call} }`, loser))],
  ['a branch that ends the flow', fork(`{ last: ${ending} }`, loser)],
  [
    'a round that fails',
    attempt(
      `{ for: { in: '#{ [1, 2] }' }, metadata: { parallel: 2 }, do: [${pick}, { fails: ${call} }, ${loser}] }`,
    ),
  ],
])('a checkpoint has the decision of %s, whose branches still end', async (_, task) => {
  const flow = plan(beside(task));
  const undisturbed = await toEnd(flow, new CheckpointHost(world));
  const host = new LateLoserHost(world, 1_000);
  expect(await follow(flow, host)).toEqual(undisturbed);
  jest.restoreAllMocks();
  const ends = await endsFromCheckpoints(flow, host);
  expect(ends.length).toBeGreaterThan(5);
  expect(ends).toEqual(ends.map(() => undisturbed));
});

/** A race that is run twice. The branch with the nested task loses the first time, and wins the second time. */
const twice = (nested: string): string => {
  const once = raise.replace('raises: {', "once: { if: '#{ $exists($steps.again) }',");
  const race = fork(`${once}, { first: ${call} }`, `{ nested: ${nested} }`, true);
  const loop = "{ switch: [{ enough: { when: '#{ $exists($steps.again) }', then: exit } }] }";
  return `{ do: [{ race: ${race} }, { loop: ${loop} }, { again: { set: { n: 0 }, then: race } }] }`;
};
const nestedFork = `{ fork: { branches: [{ n1: { do: [{ has: { set: { n: 1 } } }, ${loser}] } }] } }`;
const nestedLoop = `{ for: { in: '#{ [1] }' }, metadata: { parallel: 2 }, do: [${loser}] }`;
const nestedTry = (tasks: string): string =>
  `{ try: [${tasks}], catch: { retry: { limit: { attempt: { count: 2 } } } } }`;

test.each([
  ['fork', nestedFork],
  ['parallel loop', nestedLoop],
  ['try', nestedTry(loser)],
  ['try in a loop', `{ for: { in: '#{ [1] }' }, do: [{ t: ${nestedTry(loser)} }] }`],
  ['fork in a try', nestedTry(`{ f: ${nestedFork} }`)],
  ['fork in a catch', `{ try: [${raise}], catch: { do: [{ f: ${nestedFork} }] } }`],
])('a replay counts the visits of a %s in a branch that had lost', async (_, nested) => {
  const flow = plan(beside(twice(nested)));
  const host = new LateLoserHost(world, 1_000);
  const undisturbed = await follow(flow, host);
  for (const kept of host.kept) {
    const journal = [...host.journal].slice(0, kept.length);
    const resumed = new CheckpointHost(world);
    resumed.goOnFrom(kept, journal);
    expect(await follow(flow, resumed)).toEqual(undisturbed);
    for (const [from, known] of [
      [null, new Map([...journal, ...resumed.journal])],
      [kept, host.journal],
    ] as const) {
      const later = new CheckpointHost(world);
      later.goOnFrom(from, known);
      expect(await follow(flow, later)).toEqual(undisturbed);
      expect(later.done).toEqual([]);
      expect(later.replaying()).toBe(false);
    }
  }
});

/** The bytes of `$steps` and `$context` of the branch of the run itself. */
function bytesOf(checkpoint: Checkpoint | null): number {
  if (!checkpoint) throw new Error('the run has no checkpoint');
  const { branch, values } = checkpoint;
  const refs = [branch.context, ...branch.steps.map(([, ref]) => ref)];
  return refs.reduce((bytes, ref) => bytes + Buffer.byteLength(values[ref] ?? ''), 0);
}

test.each([
  ['fork', nestedFork],
  ['parallel loop', nestedLoop],
])('a run frees the %s in a branch that had lost', async (_, nested) => {
  const flow = plan(beside(twice(nested)));
  const host = new LateLoserHost(world, 1_000);
  await follow(flow, host);
  const reported = jest.spyOn(Run.prototype, 'reportWeight');
  for (const kept of host.kept) {
    const resumed = new CheckpointHost(world);
    resumed.goOnFrom(kept, [...host.journal].slice(0, kept.length));
    await follow(flow, resumed);
    const run: Run = reported.mock.contexts.at(-1);
    expect(run.stateSize.bytes).toBe(bytesOf(run.makeCheckpoint()));
  }
});

/** The host of a run in which another branch goes on while `output.as` is evaluated. */
class SlowOutputHost extends CheckpointHost {
  override evaluator = {
    ...evaluator,
    evaluate: async (request: Parameters<typeof evaluator.evaluate>[0]) => {
      const value = await evaluator.evaluate(request);
      for (let turns = 0; turns < 200; turns++) await undefined;
      return value;
    },
  };
}

test('a checkpoint behind the decision counts the visits of the branches once', async () => {
  jest.spyOn(Run.prototype, 'isTurnOver', 'get').mockReturnValue(false); // the order of branches is the same each time
  const random = "{ set: { n: '#{ $random() }' } }";
  const flow = plan(`
do:
  - outer:
      fork:
        branches:
          - inner:
              do:
                - race:
                    output: { as: '#{ $ }' }
                    ${fork(
                      `{ mode: { switch: [{ slow: { when: '#{ $exists($steps.again) }', then: r1 } }, { fast: { then: exit } }] } }, { r1: ${random} }, { r2: ${random} }, { r3: ${random} }`,
                      `{ r4: ${random} }`,
                      true,
                    ).slice(2, -2)}
                - loop: { switch: [{ enough: { when: '#{ $exists($steps.again) }', then: exit } }] }
                - again: { set: { n: 0 }, then: race }
          - other: { do: [${Array.from({ length: 60 }, (_, n) => `{ s${n}: { set: { n: ${n} } } }`).join()}] }
`);
  const host = new SlowOutputHost(world, 1_000);
  const undisturbed = await follow(flow, host);
  const ends = await endsFromCheckpoints(flow, host);
  expect(ends).toEqual(ends.map(() => undisturbed));
});
