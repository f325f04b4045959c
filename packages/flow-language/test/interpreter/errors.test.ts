import { effectKey } from '../../interpreter/position.ts';
import { output, plan, START, TestHost, toEnd, type World } from './test-host.ts';

const CALL = 'call: http, with: { method: get, endpoint: "https://a.test/x" }';
const TYPE = 'https://serverlessworkflow.io/spec/1.0.0/errors';
const failing = (times: number): World => {
  let left = times;
  return () => (left-- > 0 ? { fails: { status: 503 } } : { value: { ok: true } });
};
const attempts = (host: TestHost) => host.requests.map(({ position }) => position.attempt);

describe('errors', () => {
  test('an uncaught error fails the run where it happened', async () => {
    const outcome = await toEnd(
      plan(`do: [{ d: { do: [{ c: { ${CALL} } }] } }]`),
      new TestHost(failing(1)),
    );
    expect(outcome).toEqual({
      kind: 'failed',
      error: {
        type: `${TYPE}/communication`,
        status: 503,
        title: 'HTTP_STATUS',
        detail: '',
        instance: '/do/0/d/do/0/c',
      },
    });
  });

  test('an expression that fails is an error of its task', async () => {
    const outcome = await toEnd(
      plan('do: [{ a: { set: { x: "#{ 1 + \\"a\\" }" } } }]'),
      new TestHost(),
    );
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: {
        type: `${TYPE}/expression`,
        status: 400,
        title: 'EXPRESSION_FAILED',
        instance: '/do/0/a',
      },
    });
  });

  test('raise makes no error of any length', async () => {
    const raised = (type: string) =>
      `do: [{ r: { raise: { error: { type: '${type}', status: 418, title: '#{ $pad("", 9000, "t") }', detail: '#{ $pad("", 900000, "d") }' } } } }]`;
    const outcome = await toEnd(plan(raised('https://a.test/e')), new TestHost());
    expect(outcome).toMatchObject({
      error: { status: 418, title: 't'.repeat(256), detail: 'd'.repeat(4_096) },
    });
    const long = raised('#{ "https://a.test/" & $pad("", 5000, "x") }');
    expect(await toEnd(plan(long), new TestHost())).toMatchObject({
      error: { title: 'EXPRESSION_FAILED' },
    });
  });

  test('raise is an error as described, its texts may be expressions', async () => {
    const text =
      'do: [{ r: { raise: { error: { type: "https://a.test/e", status: 418, title: "#{ \\"T\\" & 1 }", detail: "n=#{ 2 }" } } } }]';
    expect(await toEnd(plan(text), new TestHost())).toEqual({
      kind: 'failed',
      error: {
        type: 'https://a.test/e',
        status: 418,
        title: 'T1',
        detail: 'n=2',
        instance: '/do/0/r',
      },
    });
  });

  test.each([
    ['a catch without retry and do swallows', 'catch: {}', { n: 1 }],
    [
      'catch.do follows with the error',
      'catch: { do: [{ h: { set: { s: "#{ $error.status }", n: "#{ n }" } } }] }',
      { s: 503, n: 1 },
    ],
    [
      'under the name given',
      'catch: { as: err, do: [{ h: { set: { s: "#{ $err.instance }" } } }] }',
      { s: '/do/1/t/try/0/c' },
    ],
    [
      'a filter that matches',
      'catch: { errors: { with: { status: 503, title: HTTP_STATUS } }, do: [{ h: { set: { h: 1 } } }] }',
      { h: 1 },
    ],
    [
      'when holds',
      'catch: { when: "#{ $error.status = 503 }", do: [{ h: { set: { h: 1 } } }] }',
      { h: 1 },
    ],
    [
      'exceptWhen does not hold',
      'catch: { exceptWhen: "#{ $error.status = 500 }", do: [{ h: { set: { h: 1 } } }] }',
      { h: 1 },
    ],
  ])('%s', async (_, handler, expected) => {
    const text = `do: [{ i: { set: { n: 1 } } }, { t: { try: [{ c: { ${CALL} } }], ${handler} } }]`;
    expect(await output(text, new TestHost(failing(9)))).toEqual(expected);
  });

  test.each([
    ['a filter that does not match', 'errors: { with: { status: 500 } }, do: []'],
    ['when does not hold', 'when: "#{ false }"'],
    ['exceptWhen holds', 'exceptWhen: "#{ true }"'],
  ])('%s lets the error go on', async (_, handler) => {
    const text = `do: [{ t: { try: [{ c: { ${CALL} } }], catch: { ${handler} } } }]`;
    expect(await toEnd(plan(text), new TestHost(failing(9)))).toMatchObject({
      kind: 'failed',
      error: { status: 503 },
    });
  });

  test.each([
    ['another', "{ type: 'https://a.test/e', status: 418, title: mine }", { title: 'HTTP_STATUS' }],
    ['the same', 'type: "#{ $error.type }", status: 503, title: "#{ $error.title }"', undefined],
  ])('a catch that fails by %s error keeps the one that it caught', async (_, raised, cause) => {
    const error = raised.startsWith('{') ? raised : `{ ${raised} }`;
    const text = `do: [{ t: { try: [{ c: { ${CALL} } }], catch: { do: [{ r: { raise: { error: ${error} } } }] } } }]`;
    const outcome = await toEnd(plan(text), new TestHost(failing(1)));
    expect(outcome).toMatchObject({ kind: 'failed', error: { instance: '/do/0/t/catch/do/0/r' } });
    expect('error' in outcome && outcome.error.cause).toEqual(
      cause && {
        type: `${TYPE}/communication`,
        status: 503,
        detail: '',
        ...cause,
        instance: '/do/0/t/try/0/c',
      },
    );
  });

  test('a caught error has its cause, and the next error has the caught one alone', async () => {
    const inner = `{ t: { try: [{ c: { ${CALL} } }], catch: { do: [{ r: { set: { x: "#{ 1 + \\"a\\" }" } } }] } } }`;
    const text = `do: [{ o: { try: [${inner}], catch: { do: [{ s: { set: { why: "#{ $error.cause.title }" } } }, { q: { raise: { error: { type: 'https://a.test/e', status: 418, title: last } } } }] } } }]`;
    const outcome = await toEnd(plan(text), new TestHost(failing(1)));
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { title: 'last', cause: { title: 'EXPRESSION_FAILED' } },
    });
    expect('error' in outcome && outcome.error.cause).not.toHaveProperty('cause');
  });

  test('the error is not to be seen elsewhere', async () => {
    const text = `do: [{ t: { try: [{ c: { ${CALL} } }], catch: { do: [] } } }, { z: { set: { e: "#{ $exists($error) }" } } }]`;
    expect(await output(text, new TestHost(failing(1)))).toEqual({ e: false });
  });
});

describe('retry', () => {
  const retrying = (policy: string, rest = '') =>
    `do: [{ t: { try: [{ c: { ${CALL} } }], catch: { retry: { ${policy} } ${rest} } } }]`;

  test('repeats the list until it succeeds, with one Idempotency-Key', async () => {
    const host = new TestHost(failing(2));
    expect(await output(retrying('delay: { seconds: 1 }'), host)).toEqual({ ok: true });
    expect(attempts(host)).toEqual([1, 2, 3]);
    const keys = host.requests.map(({ position }) => effectKey('7', position));
    expect(new Set(keys)).toEqual(new Set(['7/do/0/t/try/0/c//1']));
  });

  test('with the random values of the first attempt, and other ones in another visit', async () => {
    const call =
      'call: http, with: { method: post, endpoint: "https://a.test/", body: { r: "#{ [$random(), $steps.s.r] }" } }';
    const text = `do: [{ t: { try: [{ s: { set: { r: "#{ $random() }" } } }, { c: { ${call} } }], catch: { retry: { delay: { seconds: 1 } } } } }, { b: { if: "#{ $not($context.again = 1) }", do: [], export: { as: { again: 1 } }, then: t } }]`;
    const host = new TestHost(failing(2));
    await toEnd(plan(text), host);
    const [first, ...others] = host.requests.map(({ effect }) => 'body' in effect && effect.body);
    expect(others.slice(0, 2)).toEqual([first, first]);
    expect(new Set(others).size).toBe(2);
  });

  test('five times without a limit, then the error goes on', async () => {
    const host = new TestHost(failing(99));
    expect(await toEnd(plan(retrying('delay: { seconds: 1 }')), host)).toMatchObject({
      kind: 'failed',
    });
    expect(attempts(host)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('then catch.do runs', async () => {
    const text = retrying(
      'limit: { attempt: { count: 1 } }',
      ', do: [{ h: { set: { s: "#{ $error.status }" } } }]',
    );
    expect(await output(text, new TestHost(failing(99)))).toEqual({ s: 503 });
  });

  test('no further than its duration', async () => {
    const host = new TestHost(failing(99));
    await toEnd(
      plan(retrying('delay: { seconds: 1 }, limit: { duration: { milliseconds: 2500 } }')),
      host,
    );
    expect(attempts(host)).toEqual([1, 2, 3]);
  });

  test('only when it may', async () => {
    const host = new TestHost(failing(99));
    await toEnd(plan(retrying('when: "#{ $error.status = 500 }"')), host);
    expect(attempts(host)).toEqual([1]);
  });

  test('an attempt has its own deadline, and a late one is retried', async () => {
    let calls = 0;
    const host = new TestHost(() => (calls++ === 0 ? { timesOut: true } : { value: 1 }));
    expect(await output(retrying('limit: { attempt: { duration: { seconds: 2 } } }'), host)).toBe(
      1,
    );
    expect(host.requests[0]?.deadline).toBe(START + 2_000);
    expect(attempts(host)).toEqual([1, 2]);
  });

  test.each([
    ['constant: {}', [1, 1, 1]],
    ['linear: {}', [1, 2, 3]],
    ['exponential: {}', [1, 2, 4]],
  ])('backoff %s', async (backoff, seconds) => {
    const times: number[] = [];
    const host: TestHost = new TestHost(() => {
      times.push(host.clock);
      return { ms: 0, fails: { status: 500 } };
    });
    await toEnd(
      plan(
        retrying(
          `delay: { seconds: 1 }, backoff: { ${backoff} }, limit: { attempt: { count: 3 } }`,
        ),
      ),
      host,
    );
    expect(times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / 1000)).toEqual(seconds);
  });

  test('jitter is added and the same in each replay', async () => {
    const policy =
      'delay: { seconds: 1 }, jitter: { from: { milliseconds: 100 }, to: { milliseconds: 500 } }, limit: { attempt: { count: 1 } }';
    const run = async () => {
      const host = new TestHost(failing(99));
      await toEnd(plan(retrying(policy)), host);
      return host.clock - START - 20;
    };
    const delay = await run();
    expect(delay).toBeGreaterThanOrEqual(1_100);
    expect(delay).toBeLessThanOrEqual(1_500);
    expect(await run()).toBe(delay);
  });

  test('an attempt finds what the first found', async () => {
    const text = `do: [{ i: { set: { i: 1 }, export: { as: { n: 0 } } } }, { t: { try: [{ a: { set: { s: "#{ $exists($steps.a) }" }, export: { as: { n: "#{ $context.n + 1 }" } } } }, { c: { ${CALL} } }], catch: { retry: {} } } }, { z: { set: { n: "#{ $context.n }", s: "#{ $steps.a.s }" } } }]`;
    expect(await output(text, new TestHost(failing(2)))).toEqual({ n: 1, s: false });
  });

  test('a retry inside a jump back keeps the visit', async () => {
    const text = `do: [{ t: { try: [{ c: { ${CALL} } }], catch: { retry: {} } } }, { b: { if: "#{ $not($context.again = 1) }", do: [], export: { as: { again: 1 } }, then: t } }]`;
    let calls = 0;
    const host = new TestHost(() =>
      calls++ % 2 === 0 ? { fails: { status: 500 } } : { value: {} },
    );
    await output(text, host);
    expect(host.requests.map(({ position: { visit, attempt } }) => [visit, attempt])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
    ]);
  });
});
