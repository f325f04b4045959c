import { interpret } from '../../interpreter/interpret.ts';
import { flowError } from '../../interpreter/problem.ts';
import { evaluator, follow, output, plan, START, TestHost, toEnd } from './test-host.ts';

const CALL = 'call: http, with: { method: get, endpoint: "https://a.test/x" }';
const TIMEOUT = { status: 408, title: 'TASK_TIMEOUT' };

const costly = (host: TestHost, ms: number): TestHost =>
  Object.assign(host, {
    evaluator: {
      ...evaluator,
      evaluate: (request: Parameters<typeof evaluator.evaluate>[0]) => {
        if (!host.replaying()) host.clock += ms;
        expected.push(request.repeated);
        return evaluator.evaluate(request);
      },
    },
  });
let expected: (boolean | undefined)[] = [];
beforeEach(() => {
  expected = [];
});
const work = 'p: { set: { n: "#{ 1 }" } }';

describe('wait', () => {
  test('that has passed by the journal has passed, though the clock of this machine is behind', async () => {
    const flow = plan(`do: [{ w: { wait: { seconds: 5 } } }, { c: { ${CALL} } }]`);
    const host = new TestHost();
    await follow(flow, host);
    host.clock = START + 6_000;
    const outcome = await follow(flow, host);
    expect(outcome.kind).toBe('succeeded');
    host.clock = START + 1_000;
    host.met.clear();
    expect(await follow(flow, host)).toEqual(outcome);
  });

  const text = 'do: [{ w: { wait: { seconds: 5 } } }, { s: { set: { t: "#{ $millis() }" } } }]';

  test('suspends until it is due and is journalled then', async () => {
    const host = new TestHost();
    expect(await follow(plan(text), host)).toMatchObject({
      kind: 'suspended',
      wakeAt: START + 5_000,
    });
    expect([...host.journal.keys()]).toEqual(['/do/0/w//1/1#reached']);
    host.clock = START + 9_000;
    expect(await follow(plan(text), host)).toEqual({
      kind: 'succeeded',
      output: { t: START + 5_000 },
    });
    expect([...host.journal.keys()].at(-1)).toBe('/do/0/w//1/1');
    expect(host.done).toEqual([]);
  });

  test('begins when it is first reached, whatever was computed before', async () => {
    const host = costly(new TestHost(() => ({ value: 1, ms: 100 })), 7_000);
    const flow = plan(`do: [{ c: { ${CALL} } }, { ${work} }, { w: { wait: { seconds: 5 } } }]`);
    const wakeAt = START + 100 + 7_000 + 5_000;
    expect(await follow(flow, host)).toMatchObject({ kind: 'suspended', wakeAt });
    host.clock += 1_000;
    host.met.clear();
    expect(await follow(flow, host)).toEqual({ kind: 'suspended', wakeAt, checkpoint: null });
    expect(expected).toEqual([false, true]); // what passed before it must pass again
    host.clock = wakeAt;
    host.met.clear();
    expect(await follow(flow, host)).toMatchObject({ kind: 'succeeded' });
  });

  test('so does the delay before a retry', async () => {
    const host = costly(new TestHost(), 3_000);
    const flow = plan(
      `do: [{ t: { try: [{ ${work} }, { r: { raise: { error: { type: "https://a.test/e", status: 500, title: T } } } }], catch: { retry: { delay: { seconds: 2 }, limit: { attempt: { count: 2 } } }, do: [] } } }]`,
    );
    const wakes: number[] = [];
    for (;;) {
      host.met.clear();
      const outcome = await follow(flow, host);
      if (outcome.kind !== 'suspended') break;
      wakes.push(outcome.wakeAt - START);
      host.clock = outcome.wakeAt;
    }
    expect(wakes).toEqual([5_000, 10_000]);
  });

  test('a deadline that passes before it is reached ends it, in every replay', async () => {
    const host = costly(new TestHost(), 3_000);
    const flow = plan(
      `do: [{ d: { timeout: { after: { seconds: 2 } }, do: [{ ${work} }, { w: { wait: { seconds: 5 } } }] } }]`,
    );
    const outcome = await toEnd(flow, host);
    expect(outcome).toMatchObject({ error: { ...TIMEOUT, instance: '/do/0/d' } });
    host.clock = START;
    expect(await toEnd(flow, host)).toEqual(outcome);
  });
});

test('the time of the run is that of its last journal entry', async () => {
  const host = new TestHost(() => ({ value: 1, ms: 250 }));
  const text = `do: [{ a: { set: { t: "#{ $millis() }" } } }, { c: { ${CALL} } }, { b: { set: { t: "#{ [$steps.a.t, $millis()] }", n: "#{ $now() }" } } }]`;
  expect(await output(text, host)).toEqual({
    t: [START, START + 250],
    n: new Date(START + 250).toISOString(),
  });
});

describe('timeouts', () => {
  test.each([
    ['a call', `c: { ${CALL}, timeout: { after: { seconds: 2 } } }`, '/do/0/c'],
    [
      'a list around it',
      `d: { do: [{ c: { ${CALL} } }], timeout: { after: { seconds: 2 } } }`,
      '/do/0/d',
    ],
    [
      'the nearer of two',
      `d: { timeout: { after: { seconds: 2 } }, do: [{ c: { ${CALL}, timeout: { after: { seconds: 9 } } } }] }`,
      '/do/0/d',
    ],
    [
      'a wait',
      'd: { timeout: { after: { seconds: 2 } }, do: [{ w: { wait: { hours: 1 } } }] }',
      '/do/0/d',
    ],
    [
      'not by a try inside',
      `d: { timeout: { after: { seconds: 2 } }, do: [{ t: { try: [{ c: { ${CALL} } }], catch: {} } }] }`,
      '/do/0/d',
    ],
    [
      'a delay between attempts',
      'd: { timeout: { after: { seconds: 2 } }, do: [{ t: { try: [{ r: { raise: { error: { type: "https://a.test/e", status: 500, title: T } } } }], catch: { retry: { delay: { seconds: 5 } } } } }] }',
      '/do/0/d',
    ],
  ])('end %s', async (_, task, instance) => {
    const host = new TestHost(() => ({ timesOut: true }));
    const outcome = await toEnd(plan(`do: [{ ${task} }]`), host);
    expect(outcome).toMatchObject({ kind: 'failed', error: { ...TIMEOUT, instance } });
    expect(host.clock).toBe(START + 2_000);
  });

  test('can be caught outside', async () => {
    const text = `do: [{ t: { try: [{ c: { ${CALL}, timeout: { after: { seconds: 2 } } } }], catch: { do: [{ h: { set: { s: "#{ $error.title }" } } }] } } }]`;
    expect(await output(text, new TestHost(() => ({ timesOut: true })))).toEqual({
      s: 'TASK_TIMEOUT',
    });
  });

  test('count from the start of their task', async () => {
    const host = new TestHost(() => ({ value: 1, ms: 1_500 }));
    const text = `do: [{ a: { ${CALL} } }, { d: { timeout: { after: { seconds: 2 } }, do: [{ b: { ${CALL} } }, { c: { ${CALL} } }] } }]`;
    expect(await toEnd(plan(text), host)).toMatchObject({ error: { instance: '/do/1/d' } });
    expect(host.requests.map(({ deadline }) => deadline - START)).toEqual([
      3_600_000, 3_500, 3_500,
    ]);
  });
});

describe('a time limit begins when its task begins, whatever was computed before:', () => {
  const limit = 'timeout: { after: { seconds: 2 } }';
  const follows = (task: string) =>
    plan(`do: [{ a: { ${CALL} } }, { ${work} }, { ${work.replace('p:', 'q:')} }, { ${task} }]`);
  const costlyHost = () => costly(new TestHost(() => ({ value: 1, ms: 1_500 })), 3_000);

  test.each([
    ['of a call', `c: { ${CALL}, ${limit} }`],
    ['of a list', `d: { ${limit}, do: [{ c: { ${CALL} } }] }`],
    [
      'of a signal that has come',
      `l: { listen: { to: { one: { with: { type: go } } } }, ${limit} }`,
    ],
    ['of a wait', `w: { wait: { seconds: 1 }, ${limit} }`],
    [
      'of an attempt',
      `t: { try: [{ c: { ${CALL} } }], catch: { retry: { limit: { attempt: { duration: { seconds: 2 } } } } } }`,
    ],
  ])('the one %s', async (_, task) => {
    const host = costlyHost();
    expect(await toEnd(follows(task), host)).toMatchObject({ kind: 'succeeded' });
    const { done, journal } = host;
    host.clock += 1_000_000;
    host.met.clear();
    expect(await toEnd(follows(task), host)).toMatchObject({ kind: 'succeeded' });
    expect(done).toHaveLength(new Set(done).size);
    expect([...journal.keys()].filter((key) => key.endsWith('#begun'))).toHaveLength(1);
  });

  test('the one of all attempts', async () => {
    const fails = { fails: { status: 503 }, ms: 500 } as const;
    let calls = 0;
    const host = costly(new TestHost(() => (calls++ === 1 ? fails : { value: 1, ms: 500 })), 3_000);
    const task = `t: { try: [{ c: { ${CALL} } }], catch: { retry: { limit: { duration: { seconds: 2 } } } } }`;
    expect(await toEnd(follows(task), host)).toMatchObject({ kind: 'succeeded' });
    expect(host.done).toHaveLength(3);
  });

  test('a wait that is resumed has the deadline of its first begin', async () => {
    const flow = plan(`do: [{ ${work} }, { w: { wait: { hours: 1 }, ${limit} } }]`);
    const host = costly(new TestHost(), 3_000);
    const wakeAt = START + 5_000;
    for (const clock of [START, START + 3_500, START + 3_900]) {
      host.clock = Math.max(host.clock, clock);
      host.met.clear();
      expect(await follow(flow, host)).toMatchObject({ kind: 'suspended', wakeAt });
    }
    host.clock = wakeAt;
    host.met.clear();
    expect(await follow(flow, host)).toMatchObject({ kind: 'failed', error: TIMEOUT });
  });
});

describe('pure work that takes longer than a task around it may', () => {
  const tasks =
    '{ p: { set: { n: "#{ 1 }" } } }, { q: { set: { n: "#{ 2 }" } } }, { r: { set: { n: 3 } } }';
  test.each([
    ['a timeout', `d: { timeout: { after: { seconds: 5 } }, do: [${tasks}] }`],
    [
      'the limit of an attempt',
      `d: { try: [${tasks}], catch: { errors: { with: { status: 408 } }, retry: { limit: { attempt: { count: 1, duration: { seconds: 5 } } } } } }`,
    ],
  ])('meets %s at the next task, and in a replay at the same', async (_, task) => {
    const host = costly(new TestHost(), 3_000);
    const flow = plan(`do: [{ ${task} }]`);
    const outcome = await toEnd(flow, host);
    expect(outcome).toMatchObject({ error: { ...TIMEOUT, instance: '/do/0/d' } });
    // In a replay the steps have the run's time, but they were recorded before.
    const recorded = () => host.steps.map(({ startedAt: _, completedAt: __, ...step }) => step);
    const steps = recorded();
    expect(steps.map(({ position }) => position.name)).not.toContain('r');
    host.clock += 3_600_000 / 2;
    expect(await toEnd(flow, host)).toEqual(outcome);
    expect(recorded()).toEqual(steps);
  });

  test('is in the times of its steps, and not in those of the call behind it', async () => {
    const host = costly(new TestHost(() => ({ value: 1, ms: 20 })), 3_000);
    await toEnd(plan(`do: [{ ${work} }, { c: { ${CALL} } }]`), host);
    expect(
      host.steps.map(({ position, startedAt, completedAt }) => [
        position.name,
        startedAt - START,
        completedAt - START,
      ]),
    ).toEqual([
      ['p', 0, 3_000],
      ['c', 3_000, 3_020],
    ]);
  });

  test('is not late in a replay that the first time was not', async () => {
    const host = new TestHost(() => ({ value: 1 }));
    const flow = plan(
      `do: [{ d: { timeout: { after: { seconds: 5 } }, do: [{ p: { set: { n: 1 } } }, { c: { ${CALL} } }] } }]`,
    );
    await toEnd(flow, host);
    host.clock += 60_000;
    expect(await toEnd(flow, host)).toMatchObject({ kind: 'succeeded' });
    expect(host.done).toHaveLength(1);
  });
});

describe('what is under way when something outside ends it', () => {
  const call = `{ c: { ${CALL} } }`;
  const ended = ({ steps }: TestHost) =>
    steps.map(({ position, status, error }) => [position.name, status, error?.title]);

  test('fails with the timeout of a task around it', async () => {
    const host = new TestHost(() => ({ timesOut: true }));
    await toEnd(plan(`do: [{ d: { timeout: { after: { seconds: 2 } }, do: [${call}] } }]`), host);
    expect(ended(host)).toEqual([
      ['c', 'FAILED', 'TASK_TIMEOUT'],
      ['d', 'FAILED', 'TASK_TIMEOUT'],
    ]);
    expect(host.steps[0]?.error?.instance).toBe('/do/0/d/do/0/c');
  });

  test("fails with the run's own", async () => {
    const host = new TestHost(() => ({ timesOut: true }));
    await toEnd(plan(`do: [${call}]`), host);
    expect(ended(host)).toEqual([['c', 'FAILED', 'RUN_TIMEOUT']]);
  });

  test('fails with the reason of an abort, or goes on elsewhere', async () => {
    const interrupted = flowError('runtime', 'CANCELLED', 'cancelled');
    for (const [why, steps] of [
      [interrupted, [['c', 'FAILED', 'CANCELLED']]],
      [null, []],
    ] as const) {
      const host = Object.assign(new TestHost(), { interrupted: why });
      host.perform = () => new Promise(() => setTimeout(() => host.controller.abort(), 10));
      expect(await interpret(plan(`do: [${call}]`), host)).toEqual({ kind: 'aborted' });
      expect(ended(host)).toEqual(steps);
    }
  });
});

describe("the run's own deadline", () => {
  test.each([
    ['a call', `t: { try: [{ c: { ${CALL} } }], catch: {} }`],
    ['a wait', 't: { try: [{ w: { wait: { days: 1 } } }], catch: {} }'],
  ])('ends %s and no try catches it', async (_, task) => {
    const host = new TestHost(() => ({ timesOut: true }));
    expect(await toEnd(plan(`do: [{ ${task} }]`), host)).toMatchObject({
      kind: 'timed-out',
      error: { status: 408, title: 'RUN_TIMEOUT', instance: '' },
    });
    expect(host.clock).toBe(START + 3_600_000);
  });

  test('ends a run that never waits', async () => {
    const host = new TestHost();
    host.now = () => {
      host.clock += 1_000_000;
      return host.clock;
    };
    const flow = plan('do: [{ a: { set: { n: 1 } } }, { b: { do: [], then: a } }]');
    expect(await interpret(flow, host)).toMatchObject({ kind: 'timed-out' });
  });
});

describe('abort', () => {
  test('ends what is under way and no try catches it', async () => {
    const host = new TestHost();
    host.perform = () => new Promise(() => setTimeout(() => host.controller.abort(), 10));
    const flow = plan(`do: [{ t: { try: [{ c: { ${CALL} } }], catch: {} } }]`);
    expect(await interpret(flow, host)).toEqual({ kind: 'aborted' });
  });

  test('ends a run between pure tasks', async () => {
    const host = new TestHost();
    setTimeout(() => host.controller.abort(), 5);
    const flow = plan('do: [{ a: { set: { n: 1 } } }, { b: { do: [], then: a } }]');
    expect(await interpret(flow, host)).toEqual({ kind: 'aborted' });
    expect(host.steps.length).toBeGreaterThan(10);
  });
});

test("a failure of the host's own is no error of the flow", async () => {
  const host = new TestHost();
  host.perform = () => Promise.reject(new Error('database away'));
  const flow = plan(`do: [{ t: { try: [{ c: { ${CALL} } }], catch: {} } }]`);
  await expect(interpret(flow, host)).rejects.toThrow('database away');
});
