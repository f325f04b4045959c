/** Random plans of all kinds of task, and a world that answers each effect by its key. */
import fc from 'fast-check';
import type { Expression, FlowDirective, Plan, RetryPolicy, Task, Template } from '../../plan.ts';
import { pick, type World } from './test-host.ts';

type Sketch = {
  kind: Task['kind'];
  numbers: readonly number[];
  inner: readonly Sketch[];
  handler: readonly Sketch[];
};

const KINDS = [
  'set',
  'call-http',
  'call-http',
  'call-http',
  'call-api-description',
  'do',
  'switch',
  'for',
  'try',
  'try',
  'raise',
  'wait',
] as const;

const sketches = (depth: number, kinds: readonly Task['kind'][]): fc.Arbitrary<Sketch[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      numbers: fc.array(fc.nat(99), { minLength: 9, maxLength: 9 }),
      inner: depth > 0 ? sketches(depth - 1, kinds) : fc.constant([]),
      handler: depth > 0 ? sketches(depth - 1, kinds) : fc.constant([]),
    }),
    { minLength: depth > 1 ? 2 : 1, maxLength: depth > 1 ? 4 : 2, size: 'max' },
  );

const plansOf = (
  kinds: readonly Task['kind'][],
  wrap = (list: Sketch[]): Sketch[] => list,
): fc.Arbitrary<Plan> =>
  fc.tuple(fc.noBias(sketches(3, kinds)), fc.nat(99), fc.nat(99)).map(([list, a, b]) => ({
    document: { dsl: '1.0.0', namespace: 'workspace', name: 'random', version: '1.0.0' },
    ...(a < 50 ? { inputFrom: a < 25 ? { kind: 'literal', value: { n: a } } : INPUTS[a % 3] } : {}),
    ...(b < 50 ? { outputAs: value('{"n": n, "r": $random()}') } : {}),
    tasks: new Builder(kinds.includes('fork')).list(wrap(list), '/do'),
  }));

/** Plans whose tasks follow one another. */
export const plans = plansOf(KINDS);

/** Plans with branches and rounds side by side as well, whose order depends on the world's time. */
export const parallelPlans = plansOf([...KINDS, 'fork', 'fork', 'fork', 'fork', 'listen']);

/** Plans of forks within a fork, of which many end before all their branches have ended. */
export const forkedPlans = plansOf(
  ['set', 'call-http', 'call-http', 'raise', 'do', 'do', 'try', 'fork', 'fork', 'fork'],
  (inner) => [{ kind: 'fork', numbers: Array(9).fill(50), inner, handler: [] }],
);

/** Effects succeed, fail or are late, as their key says; so that every replay finds the same. */
export const world: World = ({ position }) => {
  const ms = 1 + pick(`ms ${position.key}`, 1_000);
  const kind = pick(`kind ${position.key}`, 20);
  if (kind < 3) return { ms, fails: { status: kind === 0 ? 500 : 503 } };
  if (kind === 3) return { timesOut: true };
  return { ms, value: { n: pick(`value ${position.key}`, 100) } };
};

const expression = (source: string): Expression => ({
  source,
  variables: [...source.matchAll(/\$(\w+)/g)].map(([, name]) => name ?? ''),
});
const value = (source: string): Template => ({
  kind: 'expression',
  expression: expression(source),
});

/** Templates of `input.from`: of a map, of null, of no value. */
const INPUTS = [value('{"n": n}'), value('null'), value('nothing')] as const;

/** Makes tasks of sketches: numbers decide what each has, names count up. */
class Builder {
  readonly #isParallel: boolean;
  #names = 0;

  constructor(isParallel: boolean) {
    this.#isParallel = isParallel;
  }

  list(sketched: readonly Sketch[], path: string): Task[] {
    const names = sketched.map(() => `t${this.#names++}`);
    return sketched.map((one, i) => this.#task(one, names, i, `${path}/${i}/${names[i]}`));
  }

  /** Each branch is a list of its own. */
  #branches(sketched: readonly Sketch[], path: string): Task[] {
    return sketched.map((one, i) => {
      const names = [`t${this.#names++}`];
      return this.#task(one, names, 0, `${path}/${i}/${names[0]}`);
    });
  }

  #task(
    { kind, numbers, inner, handler }: Sketch,
    names: string[],
    index: number,
    path: string,
  ): Task {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = numbers;
    const base = {
      name: names[index] ?? '',
      path,
      ...(a < 10 ? { if: expression(`$random() < 0.${b}`) } : {}),
      ...(i < 30 ? { inputFrom: INPUTS[i % 3] } : {}),
      ...(c < 15 ? { outputAs: value('{"n": n, "was": $millis()}') } : {}),
      ...(d < 15 ? { exportAs: value('{"c": $context.c + 1, "r": $random()}') } : {}),
      ...(e < 10 ? { timeoutMs: e * 500 } : {}),
      ...(f < 20 ? goingTo(f, names) : {}),
    };
    switch (kind) {
      case 'set':
        return {
          ...base,
          kind,
          value: {
            kind: 'map',
            entries: [
              ['n', value('n + $random()')],
              ['type', value('$type($)')],
              ['c', value('$context.c')],
              ['steps', value('$count($keys($steps))')],
            ],
          },
        };
      case 'call-http':
        return {
          ...base,
          kind,
          method: 'get',
          endpoint: { kind: 'uri-template', template: 'https://a.test/{n}' },
          output: 'content',
          ...(g < 50 ? { body: value('[n, $random(), $millis()]') } : {}),
        };
      case 'call-api-description':
        return {
          ...base,
          kind,
          apiDescriptionId: 1 + h,
          ...(g < 50 ? { credential: 'source' as const, body: value('[n, $random()]') } : {}),
        };
      case 'do':
        return { ...base, kind, tasks: this.list(inner, `${path}/do`) };
      case 'switch':
        return {
          ...base,
          kind,
          cases: [
            { name: 'x', when: expression(`$random() < 0.${g}`), ...goingTo(h, names) },
            ...(b < 50 ? [{ name: 'y', ...goingTo(g, names) }] : []),
          ],
        };
      case 'for':
        return {
          ...base,
          kind,
          each: 'item',
          at: 'index',
          in: expression(`[1..${g % 4}]`),
          ...(h < 30 ? { while: expression('$random() < 0.8') } : {}),
          ...(h > 80 && this.#isParallel ? { parallel: 1 + (b % 3) } : {}),
          tasks: this.list(inner, `${path}/do`),
        };
      case 'fork':
        return {
          ...base,
          kind,
          compete: g < 40,
          branches: this.#branches(inner, `${path}/fork/branches`),
        };
      case 'listen':
        return { ...base, kind, signal: 's' };
      case 'try': {
        const tasks = this.list(inner, `${path}/try`);
        const recover = h < 50 ? { tasks: this.list(handler, `${path}/catch/do`) } : {};
        return {
          ...base,
          kind,
          tasks,
          catch: {
            as: 'error',
            ...(g < 30 ? { errors: { status: 503 } } : {}),
            ...(g % 2 ? { retry: retry(b, c) } : {}),
            ...recover,
          },
        };
      }
      case 'raise':
        return {
          ...base,
          if: expression('$random() < 0.2'),
          kind,
          error: {
            type: { kind: 'literal', value: 'https://a.test/e' },
            status: 503,
            title: value('"T" & $random()'),
          },
        };
      default:
        return { ...base, kind: 'wait', durationMs: g * 100 };
    }
  }
}

function retry(b: number, c: number): RetryPolicy {
  const backoff = (['constant', 'linear', 'exponential'] as const)[b % 3] ?? 'constant';
  return {
    delayMs: c * 20,
    backoff,
    maxRetries: b % 4,
    ...(b < 50 ? { jitter: { fromMs: 0, toMs: 500 } } : {}),
    ...(c < 30 ? { attemptDurationMs: c * 100 } : {}),
    ...(c > 70 ? { totalDurationMs: c * 50 } : {}),
  };
}

/** Mostly forward; back only rarely enough that runs come to an end. */
function goingTo(n: number, names: readonly string[]): { then: FlowDirective } {
  const jump =
    n < 5
      ? names[n % names.length]
      : ['continue', 'exit', 'continue', 'end', 'continue', 'continue'][n % 6];
  // biome-ignore lint/suspicious/noThenProperty: the flow language's keyword
  return { then: jump ?? 'continue' };
}
