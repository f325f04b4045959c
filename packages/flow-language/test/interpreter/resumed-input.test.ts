/** The transformed inputs of tasks that go on from a checkpoint. */
import type { Outcome } from '../../interpreter/host.ts';
import { interpret } from '../../interpreter/interpret.ts';
import { CheckpointHost } from './checkpoint-host.ts';
import { plan, type World } from './test-host.ts';

const world: World = ({ position }) =>
  position.attempt === 1 ? { fails: { status: 503 } } : { value: 'ok' };

interface Followed {
  outcome: Outcome;
  /** The inputs of the tasks that have ended, by key. */
  inputs: Record<string, unknown>;
}

/** Follows a run without suspensions, and again from each checkpoint that the run has offered. */
async function followAll(text: string): Promise<{ whole: Followed; resumed: Followed[] }> {
  const flow = plan(text);
  const followBy = async (host: CheckpointHost): Promise<Followed> => {
    host.maySleep = () => true;
    const outcome = await interpret(flow, host);
    const inputs = host.steps.map(({ position, input }) => [position.key, input] as const);
    return { outcome, inputs: Object.fromEntries(inputs) };
  };
  const host = new CheckpointHost(world, 1_000);
  const whole = await followBy(host);
  const resumed: Followed[] = [];
  for (const kept of host.kept) {
    const later = new CheckpointHost(world);
    later.goOnFrom(kept, host.journal);
    resumed.push(await followBy(later));
  }
  return { whole, resumed };
}

const seen = "{ seen: { set: { type: '#{ $type($) }' } } }";
const failing =
  '{ asks: { try: [{ c: { call: http, with: { method: get, endpoint: "https://a.test/" } } }], catch: { retry: { delay: PT1M } } } }';

describe.each(['null', '$steps.first.unknown', '7'])('a task with the input %s', (input) => {
  test.each([
    ['a list', `do: [${failing}, { keeps: { set: { n: 1 } } }]`],
    [
      'a repeated list',
      `try: [${seen}, { c: { call: http, with: { method: get, endpoint: "https://a.test/" } } }, { shows: { set: { of: '#{ $steps.seen }' } } }], catch: { retry: { delay: PT1M } }`,
    ],
    ['a loop', `for: { in: '#{ [1, 2] }' }, do: [${failing}, { keeps: { set: { n: 1 } } }]`],
    ['rounds side by side', `for: { in: '#{ [1, 2] }' }, metadata: { parallel: 1 }, do: [${seen}]`],
    [
      'branches',
      `fork: { branches: [{ b1: { do: [${failing}, ${seen}] } }, { b2: { wait: PT2M } }] }`,
    ],
  ])('keeps the input in a checkpoint within %s', async (_, task) => {
    const { whole, resumed } = await followAll(`
do:
  - first: { set: { raw: 1 } }
  - composite: { input: { from: '#{ ${input} }' }, ${task} }
`);
    expect(resumed.length).toBeGreaterThan(2);
    for (const { outcome, inputs } of resumed) {
      expect(outcome).toEqual(whole.outcome);
      expect(whole.inputs).toMatchObject(inputs);
    }
  });

  test('keeps the input in a checkpoint before the export', async () => {
    const { whole, resumed } = await followAll(`
do:
  - first: { set: { raw: 1 } }
  - both:
      fork:
        branches:
          - exports: { input: { from: '#{ ${input} }' }, export: { as: '#{ { "a": 1 } }' }, set: { n: 1 } }
          - other: { do: [${Array.from({ length: 30 }, (__, n) => `{ s${n}: { set: { n: ${n} } } }`).join()}] }
`);
    for (const { outcome, inputs } of resumed) {
      expect(outcome).toEqual(whole.outcome);
      expect(whole.inputs).toMatchObject(inputs);
    }
  });
});

test.each(['{ a: 1 }', '\'#{ { "a": 1 } }\''])(
  'the output of a flow with the input %s is the same after a checkpoint',
  async (input) => {
    const { whole, resumed } = await followAll(`
input: { from: ${input} }
output: { as: '#{ $random() }' }
do:
  - first: { set: { n: 1 } }
  - second: { set: { n: 2 } }
`);
    expect(resumed.length).toBeGreaterThan(1);
    expect(resumed.map(({ outcome }) => outcome)).toEqual(resumed.map(() => whole.outcome));
  },
);
