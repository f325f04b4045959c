import type { Scope } from '../../interpreter/host.ts';
import type { Expression, Json, Template } from '../../plan.ts';
import { EvaluationError } from '../../sandbox/errors.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import {
  ATTACKED_INPUT,
  ATTACKED_PROPERTIES,
  ATTACKS,
  FOUND,
  PROPERTY_ATTACKS,
} from './attacks.ts';
import { PROBE_INPUT, PROBES } from './probes.ts';
import { expression, scope, whole } from './request.ts';

/** One child: what an attack leaves is met by whoever comes next. */
const sandbox = createSandbox({ maxChildren: 1 });
afterAll(() => sandbox.close());

const ATTACKER = 'workspace:1';
const VICTIM = 'workspace:2';

/** Without the variables of a flow: what a `$` stands before is JSONata's own or the expression's. */
const bare = (source: string): Expression => ({ source, variables: [] });

const attempt = (source: string, tenant = ATTACKER) =>
  sandbox
    .evaluate({
      template: { kind: 'expression', expression: bare(source) },
      ...scope({ tenant, input: ATTACKED_INPUT }),
    })
    .catch((error: unknown) => {
      if (error instanceof EvaluationError) return error.code;
      throw error;
    });

/** All probes in one job; each by its own name, since what has no value is left out. */
const probes: Template = {
  kind: 'map',
  entries: PROBES.map((source) => [source, { kind: 'expression', expression: bare(source) }]),
};

const probe = async (tenant: string): Promise<string> =>
  JSON.stringify(
    await sandbox.evaluate({ template: probes, ...scope({ tenant, input: PROBE_INPUT }) }),
  );

test('there are as many attacks and probes as were asked for, and each probe has a value', async () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(100);
  expect(PROBES).toHaveLength(60);
  expect(Object.keys(JSON.parse(await probe(VICTIM)))).toHaveLength(60);
});

describe('what one evaluation leaves for the next', () => {
  let untouched: string;
  beforeAll(async () => {
    const fresh = createSandbox({ maxChildren: 1 });
    const value = await fresh.evaluate({ template: probes, ...scope({ input: PROBE_INPUT }) });
    untouched = JSON.stringify(value);
    fresh.close();
  });

  test.each(Object.entries(FOUND))('%s', async (_, source) => {
    expect(await attempt(source)).toBe('EXPRESSION_FAILED');
    expect(await probe(VICTIM)).toBe(untouched);
    expect(await probe(ATTACKER)).toBe(untouched);
  });

  test.each(ATTACKS)('nothing, after %s', async (source) => {
    const first = await attempt(source);
    expect(await probe(VICTIM)).toBe(untouched);
    expect(await probe(ATTACKER)).toBe(untouched);
    expect(await attempt(source)).toEqual(first);
    expect(await attempt('$string($)')).toBe(JSON.stringify(ATTACKED_INPUT));
  });
});

test('what one expression of a template does is not seen by the next', async () => {
  let seen = 0;
  for (const source of ATTACKS) {
    const sources = [source, '$string($)', '$count(empty)', '$sum([1, 2])'];
    const template: Template = {
      kind: 'list',
      items: sources.map((one) => ({ kind: 'expression', expression: bare(one) })),
    };
    const request = { template, ...scope({ input: ATTACKED_INPUT }) };
    const values = await sandbox.evaluate(request).catch(() => null);
    if (values === null) continue; // the attack itself fails, and the template with it
    expect((values as Json[]).slice(-3)).toEqual([JSON.stringify(ATTACKED_INPUT), 0, 3]);
    seen += 1;
  }
  expect(seen).toBeGreaterThan(50);
});

test('an evaluation ends with all that it began', async () => {
  const loop = '[$error("x"), ($f := function($x){ $f($x + 1) }; $f(1))]';
  expect(await attempt(loop)).toBe('EXPRESSION_TIMEOUT');
  expect(await sandbox.evaluate({ template: whole('1 + 1'), ...scope() })).toBe(2);
});

test('a position in an error is that of this evaluation', async () => {
  const fails = () =>
    sandbox
      .evaluate({ template: whole('$map(["x"], $number)'), ...scope() })
      .catch(({ position }: EvaluationError) => position);
  const first = await fails();
  await attempt('                    $number("1")');
  expect(await fails()).toBe(first);
});

describe('properties', () => {
  const VICTIMS = '{"key":"mine"}';
  /** The variables of a run with properties. Their JSON text is parsed, so that a key `__proto__` is a key. */
  const propertiesOf = (text: string): Scope['variables'] => ({ properties: JSON.parse(text) });
  const evaluateAll = (
    sources: readonly string[],
    tenant: string,
    variables: Scope['variables'] = {},
  ) =>
    sandbox.evaluate({
      template: {
        kind: 'list',
        items: sources.map((source) => ({ kind: 'expression', expression: expression(source) })),
      },
      ...scope({ tenant, variables }),
    });
  const THEIRS = propertiesOf(ATTACKED_PROPERTIES);
  const READS = ['$string($properties)', '$properties.key', '$exists($properties.added)'];

  test.each(PROPERTY_ATTACKS)('are as they were after %s', async (source) => {
    const theirs = [ATTACKED_PROPERTIES, 'theirs', false];
    expect(await evaluateAll(READS, ATTACKER, THEIRS)).toEqual(theirs);
    const attacked = await evaluateAll([source, ...READS], ATTACKER, THEIRS).catch(
      (error: unknown) => {
        if (error instanceof EvaluationError) return null; // the attack itself is refused
        throw error;
      },
    );
    if (attacked !== null) expect((attacked as Json[]).slice(-3)).toEqual(theirs);
    expect(await evaluateAll(READS, ATTACKER, THEIRS)).toEqual(theirs);
    expect(await evaluateAll(READS, VICTIM, propertiesOf(VICTIMS))).toEqual([
      VICTIMS,
      'mine',
      false,
    ]);
  });

  test('of one run are not those of the next', async () => {
    await evaluateAll(READS, ATTACKER, THEIRS);
    expect(await evaluateAll(READS, VICTIM)).toEqual([false]);
    expect(await evaluateAll(READS, ATTACKER)).toEqual([false]);
  });
});

test('$error and other variables are those of the job', async () => {
  const variables = { input: { secret: 's' } };
  const named = { kind: 'expression' as const, expression: expression('$input.secret') };
  expect(await sandbox.evaluate({ template: named, ...scope({ variables }) })).toBe('s');
  expect(await sandbox.evaluate({ template: named, ...scope() })).toBeUndefined();
});
