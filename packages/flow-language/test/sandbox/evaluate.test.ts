import fc from 'fast-check';
import type { Scope } from '../../interpreter/host.ts';
import { JsonText } from '../../interpreter/json-text.ts';
import { BUILT_INS } from '../../language/names.ts';
import type { Json, Template } from '../../plan.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { expression, scope, whole } from './request.ts';

const sandbox = createSandbox({ maxChildren: 1 });
afterAll(() => sandbox.close());

function evaluate(source: string, given: Partial<Scope> = {}) {
  return sandbox.evaluate({ template: whole(source), ...scope(given) });
}

/** As the interpreter keeps large values. */
const asText = (value: Json): Json => new JsonText(JSON.stringify(value)) as unknown as Json;

describe('evaluate', () => {
  test.each([
    ['a.b', { a: { b: 1 } }, 1],
    ['missing', {}, undefined],
    ['null', {}, null],
    ['{"a": missing, "b": null}', {}, { b: null }],
    ['[1, missing, 2]', {}, [1, 2]],
    ['[items.id]', { items: [{ id: 7 }] }, [7]],
    ['items.id', { items: [{ id: 7 }] }, 7],
    ['$', [1, 2], [1, 2]],
    ['{"__proto__": 1, "constructor": 2}', {}, JSON.parse('{"__proto__": 1, "constructor": 2}')],
    ['$', JSON.parse('{"__proto__": {"x": 1}}'), JSON.parse('{"__proto__": {"x": 1}}')],
    ['x', JSON.parse('{"__proto__": {"x": 1}}'), undefined],
    ['toString', {}, undefined],
    ['$', undefined, undefined],
  ])('%s', async (source, input, result) => {
    expect(JSON.stringify(await evaluate(source, { input }))).toBe(JSON.stringify(result));
  });

  test('fills a template in one go', async () => {
    const template: Template = {
      kind: 'map',
      entries: [
        ['total', whole('$sum(lines)')],
        [
          'text',
          {
            kind: 'text',
            parts: ['n=', expression('n'), ' o=', expression('o'), ' u=', expression('u')],
          },
        ],
        ['list', { kind: 'list', items: [whole('u'), whole('n')] }],
        ['gone', whole('u')],
        ['fixed', { kind: 'literal', value: { a: [null] } }],
      ],
    };
    const input = { lines: [1, 2], n: 'x', o: { p: 1 } };
    expect(await sandbox.evaluate({ template, ...scope({ input }) })).toEqual({
      total: 3,
      text: 'n=x o={"p":1} u=',
      list: ['x'],
      fixed: { a: [null] },
    });
  });

  test('sees what is kept as text, in its place', async () => {
    const variables = {
      input: asText({ a: 1 }),
      context: asText(null),
      steps: { b: asText([1, 2]), a: 7, ['__proto__']: asText({ n: 3 }) },
    };
    const source = '[$input.a, $context = null, $steps.b[1], $steps.a, $steps.__proto__.n]';
    expect(await evaluate(source, { variables })).toEqual([1, true, 2, 7, 3]);
    expect(await evaluate('$keys($steps)', { variables })).toEqual(['b', 'a', '__proto__']);
  });

  test('sees the variables that it names, and of the steps those that it names', async () => {
    const variables = { input: { a: 1 }, steps: { one: 1, 'two-b': 2, three: 3 } };
    expect(await evaluate('$input.a + $steps.one + $steps.`two-b`', { variables })).toBe(4);
    expect(await evaluate('$count($keys($steps))', { variables })).toBe(3);
    expect(await evaluate('$sum($steps.*)', { variables })).toBe(6);
  });

  test('$error is the variable, and the function where it is called', async () => {
    const variables = { error: { status: 418 } };
    expect(await evaluate('$error.status', { variables })).toBe(418);
    expect(await evaluate('[$exists($error)]')).toEqual([false]);
    const called = evaluate('$error("boo")', { variables });
    await expect(called).rejects.toMatchObject({ message: 'boo' });
  });

  test.each([
    ['$error.status = 418 ? $error("wrong: " & $error.status) : 1', 'wrong: 418'],
    ['$map([1], function($x) { $error("in a function: " & $error.status) })', 'in a function: 418'],
    ['($error("called"); $error)', 'called'],
  ])('$error is both in %s', async (source, message) => {
    const variables = { error: { status: 418 } };
    await expect(evaluate(source, { variables })).rejects.toMatchObject({ message });
  });

  test.each([
    ['$error("never") or true', null],
    ['($error := 1; $error)', 1],
    ['($f := function($error) { $error.a }; $f({"a": 2}))', 2],
    ['($error := function($x) { $x + 1 }; $error(2))', 3],
    ['[items@$error.$error.a]', [4]],
    ['[items#$error.$error]', [0]],
    ['$exists($error) ? $error("there") : 5', 5],
  ])('whatever else is $error in %s', async (source, value) => {
    const input = { items: [{ a: 4 }] };
    if (value === null) await expect(evaluate(source)).rejects.toMatchObject({ message: 'never' });
    else expect(await evaluate(source, { input })).toEqual(value);
  });

  test('has all built-in functions', async () => {
    const list = [...BUILT_INS].map((name) => `$type($${name})`).join(', ');
    expect(await evaluate(`$distinct([${list}])`)).toEqual(['function']);
  });

  test('takes its time from the run', async () => {
    const now = Date.UTC(2026, 1, 3, 4, 5, 6, 7);
    expect(await evaluate('$millis()', { now })).toBe(now);
    expect(await evaluate('$now()', { now })).toBe('2026-02-03T04:05:06.007Z');
    expect(await evaluate('$now("[H01]:[m01] [z]", "+0200")', { now })).toBe('06:05 GMT+02:00');
    expect(await evaluate('$fromMillis($toMillis("12:00", "[H01]:[m01]"))', { now })).toBe(
      '2026-02-03T12:00:00.000Z',
    );
  });

  test('takes chance from the seed', async () => {
    const source = '[$random(), $random(), $shuffle([1..20])]';
    const first = await evaluate(source, { seed: 'a' });
    expect(await evaluate(source, { seed: 'a' })).toEqual(first);
    expect(await evaluate(source, { seed: 'b' })).not.toEqual(first);
    expect((first as number[])[0]).not.toBe((first as number[])[1]);
  });

  test.each([
    ['1/0', 'EXPRESSION_FAILED', null],
    ['[$number("1e308") * 10]', 'EXPRESSION_FAILED', null],
    ['{"f": $sum}', 'EXPRESSION_FAILED', null],
    ['function($x){$x}', 'EXPRESSION_FAILED', null],
    ['($r := /a/; [$r])', 'EXPRESSION_FAILED', null],
    ['$substring("\u{1F600}", 0, 1) & $decodeUrl("%ED%A0%80")', 'EXPRESSION_FAILED', 'D3140'],
    ['$eval("1")', 'EXPRESSION_FAILED', 'T1006'],
    ['$error("boo")', 'EXPRESSION_FAILED', 'D3137'],
    ['1 +', 'EXPRESSION_FAILED', 'S0207'],
    ['($f := function($x){ 1 + $f($x) }; $f(1))', 'EXPRESSION_FAILED', 'D1011'],
    ['[1..1500000]', 'EXPRESSION_FAILED', 'D2015'],
    ['$pad("", 2000000)', 'OUTPUT_TOO_LARGE', null],
    ['($a := [1..1000]; $map([1..2000], function($x){ {"a": $a} }))', 'OUTPUT_TOO_LARGE', null],
  ])('refuses %s', async (source, code, reason) => {
    await expect(evaluate(source)).rejects.toMatchObject({ code, reason });
  });

  test('says where an expression went wrong', async () => {
    await expect(evaluate('1 + "a"')).rejects.toMatchObject({ reason: 'T2002', position: 3 });
  });

  test.each([
    ['$formatNumber(1, "#".repeat)', '$formatNumber cannot be computed with these values'],
    ['$pad("", 600000000)', '$pad makes a text or a list that is too long'],
    ['$match("a", 1)', 'does not match function signature'],
  ])('describes the failure of %s without words of V8', async (source, description) => {
    await expect(evaluate(source)).rejects.toMatchObject({
      code: 'EXPRESSION_FAILED',
      message: expect.stringContaining(description),
    });
  });

  test('refuses half a surrogate pair', async () => {
    await expect(evaluate('$', { input: 'a\ud800' })).rejects.toMatchObject({
      code: 'EXPRESSION_FAILED',
    });
  });

  test('refuses what is nested too deep to be stored', async () => {
    const source = '$reduce([1..120], function($all, $x){ [[$all]] }, [])';
    await expect(evaluate(source)).rejects.toMatchObject({ code: 'EXPRESSION_FAILED' });
  });
});

test.each([
  ['true', true],
  ['missing', false],
  ['""', false],
  ['"a"', true],
  ['0', false],
  ['[0, 1]', true],
  ['[0]', false],
  ['{}', false],
  ['{"a": 0}', true],
  ['null', false],
  ['$sum', false],
])('the truth of %s is %p', async (source, truth) => {
  expect(await sandbox.test({ expression: expression(source), ...scope() })).toBe(truth);
});

test('what an expression is given costs it none of its own time, however large', async () => {
  const output = asText(Array.from({ length: 60_000 }, (_, n) => n));
  const steps = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`step${n}`, output]));
  const variables = { steps, n: asText(7) };
  for (const source of ['$count($keys($steps))', '$count($steps.step3) + $n - 59987']) {
    expect(await evaluate(source, { input: output, variables })).toBe(20);
  }
});

test('variables come as they are, texts and values, whatever their names', async () => {
  const variables = {
    steps: { a: asText({ x: [1, '\u2028'] }), __proto__: null, '"': [2], b: null },
    list: asText([1, 2]),
    text: 'a"b',
    none: null,
  };
  const source = '[$steps.a.x, $steps.`"`, $steps.b, $list, $text, $none, $exists($gone)]';
  expect(await evaluate(source, { variables })).toEqual([
    1,
    '\u2028',
    2,
    null,
    1,
    2,
    'a"b',
    null,
    false,
  ]);
});

describe('$integer', () => {
  const large = '7615917337495251231';
  const input = { id: large };

  test.each([
    ['$integer(id)', large],
    ['id.$integer()', large],
    ['{"a": [$integer(id)]}', { a: [large] }],
    ['$integer(" -7 ")', -7],
    ['$integer(7)', 7],
    ['"/orders/" & $integer(id)', `/orders/${large}`],
    ['$string({"a": $integer(id)})', `{"a":${large}}`],
    ['{"a": $integer(id)} ~> |$|{"b": 1}|', { a: large, b: 1 }],
    ['[$integer(id) = $integer(id), $integer(id) = $integer("1")]', [true, false]],
    ['$integer(missing)', undefined],
  ])('%s', async (source, value) => {
    expect(await evaluate(source, { input })).toEqual(value);
  });

  test.each(['$integer("1.5")', '$integer("1e3")', '$integer("x")', '$integer(id) + 1'])(
    '%s fails',
    async (source) => {
      const failure = expect.objectContaining({ code: 'EXPRESSION_FAILED' });
      await expect(evaluate(source, { input })).rejects.toEqual(failure);
    },
  );
});

describe('times', () => {
  test.each([
    ['$fromMillis(0, undefined, "+05:00")', '1970-01-01T05:00:00.000+05:00'],
    ['$fromMillis(0, undefined, "-0330")', '1969-12-31T20:30:00.000-03:30'],
    ['$fromMillis(0, "[H01]:[m01][Z]", "-00:30")', '23:30-00:30'],
    ['$fromMillis(0, "[H01]:[m01] [Z0]", "-0330")', '20:30 -3:30'],
    ['$fromMillis(1751328000000, undefined, "Europe/Berlin")', '2025-07-01T02:00:00.000+02:00'],
    ['$fromMillis(0, undefined, "Z")', '1970-01-01T00:00:00.000Z'],
    ['$now("[H01]:[m01] [z]", "Asia/Kolkata")', '05:30 GMT+05:30'],
    ['$toMillis("2024-02-29T23:59:59.571+05:30")', Date.UTC(2024, 1, 29, 18, 29, 59, 571)],
    ['$toMillis("2026-07-01T00:00:00", (), "America/New_York")', Date.UTC(2026, 6, 1, 4)],
    ['$toMillis("2026-07-01T00:00:00Z", (), "America/New_York")', Date.UTC(2026, 6, 1)],
    ['$toMillis("2023-12-31T24:00:00")', Date.UTC(2024, 0, 1)],
    ['$toMillis("12:00 -0330", "[H01]:[m01] [Z0101]")', Date.UTC(2026, 0, 1, 15, 30)],
    ['$toMillis("01:00", "[H01]:[m01]", "Asia/Tokyo")', Date.UTC(2025, 11, 31, 16)],
    // The clock goes back: the first of the two times.
    ['$toMillis("2026-10-25T02:30:00", (), "Europe/Berlin")', Date.UTC(2026, 9, 25, 0, 30)],
    ['$fromMillis($toMillis("0023-01-05", "[Y0001]-[M01]-[D01]"))', '0023-01-05T00:00:00.000Z'],
    ['$toMillis("5.571", "[s].[f001]") % 60000', 5571],
  ])('%s', async (source, value) => {
    expect(await evaluate(source, { now: Date.UTC(2026, 0, 1) })).toBe(value);
  });

  test.each([
    '$fromMillis(0, undefined, "Mars/Phobos")',
    '$fromMillis(0, undefined, "")',
    '$fromMillis(0, undefined, "+5")',
    '$fromMillis(0, undefined, "+0560")',
    '$now("[H01]", "nowhere")',
    '$fromMillis(1e20)',
    '$fromMillis(253402300800000)',
    '$fromMillis(253402300799999, (), "+00:01")',
    '$toMillis("2023-02-29")',
    '$toMillis("2023-02-29T10:00:00Z")',
    '$toMillis("2023-13-01")',
    '$toMillis("2023-01-01T25:00:00Z")',
    '$toMillis("2023-01-01T10:00:00+05:99")',
    '$toMillis("29.2.2023", "[D].[M].[Y]")',
    '$toMillis("1.13.2023", "[D].[M].[Y]")',
    '$toMillis("2023-366", "[Y0001]-[d001]")',
    '$toMillis("1.1.12023", "[D].[M].[Y]")',
    '$toMillis("13:00 pm", "[h]:[m] [P]")',
    '$toMillis("12:60", "[H]:[m]")',
    '$toMillis("12:00 +9900", "[H]:[m] [Z0101]")',
    // The clock goes forward.
    '$toMillis("2026-03-29T02:30:00", (), "Europe/Berlin")',
  ])('%s fails', async (source) => {
    const failure = expect.objectContaining({ code: 'EXPRESSION_FAILED' });
    await expect(evaluate(source)).rejects.toEqual(failure);
  });

  test('an instant that is written in a zone is read as the same, unless the zone repeats its time', async () => {
    const millis = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2100, 0) });
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/St_Johns',
      'Asia/Kathmandu',
      '-0930',
      'Z',
    );
    await fc.assert(
      fc.asyncProperty(millis, zones, async (instant, zone) => {
        const picture = '"[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001]';
        const source = `($iso := $fromMillis($.t, (), $.z); $local := $fromMillis($.t, ${picture}", $.z);
          $read := $toMillis($local, ${picture}", $.z);
          [$toMillis($iso), $toMillis($fromMillis($.t, ${picture} [Z0101]", $.z), ${picture} [Z0101]"),
            $fromMillis($read, ${picture}", $.z) = $local, $read <= $.t])`;
        const expected = [instant, instant, true, true];
        expect(await evaluate(source, { input: { t: instant, z: zone } })).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe('texts', () => {
  test.each([
    ['$base64encode("€")', '4oKs'],
    ['$base64decode("4oKs")', '€'],
    ['$split("a😂b", "")', ['a', '😂', 'b']],
    ['$split("a😂b", "", 2)', ['a', '😂']],
    ['$split("a😂-b😂-c", /-/)', ['a😂', 'b😂', 'c']],
    ['$replace("a😂b", /./, "x")', 'xxx'],
    ['$replace("😂a😂b", /a|b/, "[$0]")', '😂[a]😂[b]'],
    ['$replace("a😂b😂c", /😂/, "x", 1)', 'axb😂c'],
    ['$match("😂a😂b", /[ab]/).index', [1, 3]],
    ['$match("😂a", /(.)a/).groups', ['😂']],
    ['/b/("😂ab").[start, end]', [2, 3]],
    ['$length("a😂")', 2],
    ['$substring("a😂b", 1, 1)', '😂'],
    ['$pad("😂", 4, "😂")', '😂😂😂😂'],
    ['$pad("😂", -3, "#")', '##😂'],
    ['$match("a_b-c", /\\_[\\w-.]\\-/).match', '_b-'],
    ['$contains("é", /^\\p{L}$/)', true],
  ])('%s', async (source, value) => {
    expect(await evaluate(source)).toEqual(value);
  });

  test.each(['$base64decode("rA==")', '$match("😂", /\\01|./)'])('%s fails', async (source) => {
    const failure = expect.objectContaining({ code: 'EXPRESSION_FAILED' });
    await expect(evaluate(source)).rejects.toEqual(failure);
  });

  test('a text is encoded and decoded, split and joined, and matches stand where they say', async () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', 'é', '\u0000', '€', '😂', '👨‍👩‍👧', '\u{10ffff}'),
    });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const source = `[$base64decode($base64encode(t)) = t, $join($split(t, "")) = t,
          $join($split(t, /a|😂/), "") = $replace(t, /a|😂/, ""),
          $length($replace(t, /[^]/, "x")) = $length(t),
          $not(false in $match(t, /.a?/).($substring($$.t, index, $length(match)) = match))]`;
        expect(await evaluate(source, { input: { t: text } })).toEqual(Array(5).fill(true));
      }),
    );
  });
});
