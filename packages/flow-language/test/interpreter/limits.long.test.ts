import { setTimeout as sleep } from 'node:timers/promises';
import { output, plan, TestHost, toEnd } from './test-host.ts';

const CALL = 'call: http, with: { method: get, endpoint: "https://a.test/x" }';
const big = (bytes: number) => new TestHost(() => ({ value: 'x'.repeat(bytes) }));

describe('limits', () => {
  test.each([
    ['a loop', 'f: { for: { in: "#{ [1..10001] }" }, do: [{ a: { set: { n: 1 } } }] }', '/do/0/f'],
    ['a jump back', 'f: { do: [], then: f }', '/do/0/f'],
    [
      'loops in loops',
      'f: { for: { in: "#{ [1..101] }" }, do: [{ g: { for: { in: "#{ [1..100] }" }, do: [] } }] }',
      undefined,
    ],
    [
      'retries',
      't: { try: [{ r: { raise: { error: { type: "https://a.test/e", status: 500, title: T } } } }], catch: { retry: { limit: { attempt: { count: 20000 } } } } }',
      '/do/0/t',
    ],
  ])('%s makes no more than 10 000 rounds', async (_, task, instance) => {
    const outcome = await toEnd(plan(`do: [{ ${task} }]`), new TestHost());
    expect(outcome).toMatchObject({ kind: 'failed', error: { status: 500, title: 'LOOP_LIMIT' } });
    if (instance) expect(outcome).toMatchObject({ error: { instance } });
  });

  test('10 000 rounds are allowed', async () => {
    const text =
      'do: [{ f: { for: { in: "#{ [1..10000] }" }, do: [{ a: { set: { n: "#{ $item }" } } }] } }]';
    expect(await output(text)).toEqual({ n: 10_000 });
  });

  test('an output of a step has at most 512 KiB and the error can be caught', async () => {
    const text = `do: [{ t: { try: [{ c: { ${CALL} } }], catch: { do: [{ h: { set: { e: "#{ $error.title }" } } }] } } }]`;
    expect(await output(text, big(512 * 1024))).toEqual({ e: 'OUTPUT_TOO_LARGE' });
  });

  test('pure work lets other work have its turn every few milliseconds', async () => {
    const dos = Array.from({ length: 60 }, (_, n) => `{ d${n}: { do: [] } }`).join(', ');
    const loop = plan(`do: [{ f: { for: { in: "#{ [1..20] }" }, do: [${dos}] } }]`);
    const host = new TestHost();
    let steps = 0; // since other work had its turn
    let most = 0;
    host.record = () => {
      most = Math.max(most, ++steps);
      const until = performance.now() + 0.5; // a host whose work for each step costs something
      while (performance.now() < until);
    };
    const timer = setInterval(() => {
      steps = 0;
    }, 0);
    await toEnd(loop, host);
    clearInterval(timer);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(25); // of 1 200; a machine that is busy does fewer in the same time
  });

  test('a run that waited for an answer goes on without another pause', async () => {
    const host = new TestHost();
    const answer = host.perform.bind(host);
    let paused = false;
    const pausedAt: boolean[] = [];
    host.perform = async (request) => {
      await sleep(10);
      setImmediate(() => {
        paused = true;
      });
      return answer(request);
    };
    host.record = () => pausedAt.push(paused);
    await toEnd(plan(`do: [{ a: { ${CALL} } }, { b: { do: [] } }]`), host);
    expect(pausedAt).toEqual([false, false]);
  });

  test('an answer counts as it came, whatever `output.as` makes of it', async () => {
    const short = 'output: { as: "#{ $length($) }" }';
    expect(await output(`do: [{ c: { ${CALL}, ${short} } }]`, big(500_000))).toBe(500_000);
    expect(await toEnd(plan(`do: [{ c: { ${CALL}, ${short} } }]`), big(600_000))).toMatchObject({
      error: { title: 'OUTPUT_TOO_LARGE', instance: '/do/0/c' },
    });
    const host = big(450_000);
    const rounds = `do: [{ f: { for: { in: "#{ [1..4000] }" }, do: [{ c: { ${CALL}, ${short} } }] } }]`;
    expect(await toEnd(plan(rounds), host)).toMatchObject({ error: { title: 'RUN_TOO_LARGE' } });
    expect(host.done).toHaveLength(75);
  });

  test('a flow that catches it makes no more calls', async () => {
    const host = big(450_000);
    const rounds = `do: [{ f: { for: { in: "#{ [1..100] }" }, do: [{ t: { try: [{ c: { ${CALL} } }], catch: {} } }] } }]`;
    expect(await toEnd(plan(rounds), host)).toMatchObject({ kind: 'succeeded' });
    expect(host.done).toHaveLength(75);
  });

  test("the run's output too", async () => {
    const text = `output: { as: "#{ [$, $] }" }\ndo: [{ c: { ${CALL} } }]`;
    expect(await toEnd(plan(text), big(300_000))).toMatchObject({
      error: { title: 'OUTPUT_TOO_LARGE', instance: '' },
    });
  });

  const rounds = (n: number) =>
    `do: [{ f: { for: { in: "#{ [1..${n}] }" }, do: [{ c: { ${CALL} } }, { w: { do: [] } }, { v: { do: [] } }] } }]`;

  test('all journalled results of a run have at most 32 MiB', async () => {
    expect(await toEnd(plan(rounds(67)), big(500_000))).toMatchObject({ kind: 'succeeded' });
    expect(await toEnd(plan(rounds(68)), big(500_000))).toMatchObject({
      error: { title: 'RUN_TOO_LARGE' },
    });
  });

  const collected = (n: number) => {
    const tasks = Array.from({ length: n }, (_, i) => `{ c${i}: { ${CALL} } }`);
    return `do: [${tasks.join(', ')}]`;
  };

  test('$steps and $context together have at most 8 MiB', async () => {
    expect(await toEnd(plan(collected(16)), big(500_000))).toMatchObject({ kind: 'succeeded' });
    expect(await toEnd(plan(collected(17)), big(500_000))).toMatchObject({
      error: { title: 'RUN_TOO_LARGE', instance: '/do/16/c16' },
    });
  });

  test('a value that replaces another takes its room: 1,000 values collected one by one', async () => {
    const text = `do: [{ f: { for: { in: "#{ [1..1000] }" }, do: [{ s: { set: { v: "#{ $pad('', 400, 'x') }" }, export: { as: "#{ { 'all': $append($context.all, v) } }" } } }] } }]`;
    const host = new TestHost();
    expect(await toEnd(plan(text), host)).toMatchObject({ kind: 'succeeded' });
  });
});
