// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import fc from 'fast-check';
import { findForeignSyntax } from '../../language/advice/foreign-syntax.ts';
import { compile } from '../../language/compile.ts';
import { withExpression } from './support.ts';

/** Faults and warnings as the text from their place on, and the message. */
function notesOf(text: string): { code: string; at: string; message: string }[] {
  const { faults, warnings } = compile(text);
  return [...faults, ...warnings].map(({ column, code, message }) => ({
    code,
    at: text.slice(column - 1),
    message,
  }));
}

describe('an expression of another language has one fault with the way of JSONata', () => {
  it.each([
    ['$.a == 1', '== 1', 'write = for "=="'],
    ['$.a === 1', '=== 1', 'write = for "=="'],
    ['$.a !== 1', '!== 1', 'write != for "!=="'],
    ['$.a and $.b && $.c', '&& $.c', 'write and for "&&"'],
    ['$.a || 1', '|| 1', 'write or for "||", or ?? for a default'],
    ['!$.a', '!$.a', 'write $not(...) for "!"'],
    ['$map($.a, x => x.b)', '=> x.b', 'write function($x) { ... } for "=>"'],
    ['$map($.a, function(x) { x })', 'function(x)', 'parameters begin with $'],
    ['$.a?.b', '?.b', 'write . for "?."'],
    ['$.a // 1', '${', 'write ?? for a default'],
    ['$.items[] | .id', '| .id', 'write . or ~> for the pipe'],
    ['.items', '.items', 'write $.x for ".x": $ is the input'],
    ['.items | map(.x)', '.items', 'write list.(...) for "map"'],
    ['length(.x)', 'length(', 'names of functions begin with $'],
    ['{ github.x }', '{ github', 'single braces'],
    ['if $.a then 1 else 2', 'if $.a', 'write condition ? value : other'],
    ['$.a is null', 'is null', 'write = null, or $exists(...)'],
    ['$.a AND $.b', 'AND', 'write and in lower case'],
    ['new Date()', 'new', 'write $now()'],
    ['$..a', '$..a', 'write $.**.x'],
    ['$.items[?(@.a > 1)]', '[?', 'write list[condition]'],
  ])('%s', (expression, at, words) => {
    const found = notesOf(withExpression(` ${expression} `));
    expect(found).toEqual([
      {
        code: expect.stringMatching(/^EXPRESSION_/),
        at: expect.stringMatching(/^/),
        message: expect.stringContaining(words),
      },
    ]);
    expect(found[0]?.at.startsWith(at)).toBe(true);
  });

  it('names all that is foreign in it', () => {
    const [only, second] = notesOf(withExpression('$.a == 1 && !$.b'));
    expect(second).toBeUndefined();
    expect(only?.message).toBe(
      'This isn\'t JSONata: write = for "=="; write and for "&&"; write $not(...) for "!".',
    );
  });

  it('ends in linear time', () => {
    for (const part of [
      'a',
      '.a',
      '(',
      '$.a ',
      '[ ',
      '!',
      'if ',
      '"',
      '`',
      'function(',
      '- ',
      ' ',
      '{ ',
      'is ',
      'new ',
      '{a ',
    ]) {
      const started = process.cpuUsage();
      findForeignSyntax(part.repeat(60_000));
      const { user, system } = process.cpuUsage(started);
      expect(user + system).toBeLessThan(1_000_000);
    }
  });
});

describe('a fault of JSONata is said in plain words', () => {
  it.each([
    ['$.a b', 'an operator or a comma may be missing before it'],
    ['($.a', '")" is missing at the end'],
    ['[1, 2', '"]" is missing at the end'],
    ['{"a" 1}', '":" is missing before "1"'],
    ['1 +', 'a value is missing at the end'],
    ['{"a": 1,}', 'a value is missing before it'],
    ['x := 1', 'a variable begins with $'],
    ['"\\q"', 'the escape \\q is unknown'],
    ['  ', 'is empty; $ is the input'],
    ['"abc', 'a string, a name in backticks'],
  ])('%s', (expression, words) => {
    expect(notesOf(withExpression(expression))).toEqual([
      expect.objectContaining({ message: expect.stringContaining(words) }),
    ]);
  });
});

describe('an expression that compiles and cannot work has a warning', () => {
  it.each([
    ['$.a.map($x)', null],
    ['$.a.toUpperCase()', 'write $uppercase(string)'],
    ['sum($.a)', 'write $sum(...)'],
    ['"a" + $.b', 'write & to join strings'],
    ['$.a["b-c"].d', 'write .`b-c`'],
    ['`a ${b}`', 'join strings by &'],
    ['$.a = undefined', 'write $exists(...)'],
    ['$.items.length > 0', 'write $count(...)'],
    ['steps.only.a', 'write $steps.only'],
    ["$('only').item.json.id", 'write $steps.only'],
    ["$('get-it').item", 'write $steps.`get-it`'],
    ["$('HTTP Request').item", 'write $steps.<task>'],
    ['$.items.length', '$count(...)'],
    ['$.items.length - 1', '$count(...)'],
    ['{a: 1, "b": {c: 2}}', 'write {"a": ...}'],
    ['$map(items, function($i) { {id: $i} })', 'write {"id": ...}'],
    ['“a” = “b”', 'write straight quotes'],
  ])('%s', (expression, words) => {
    const codes = words === null ? ['UNKNOWN_VARIABLE'] : ['EXPRESSION_DOUBTFUL'];
    const found = notesOf(withExpression(expression));
    expect(found.map(({ code }) => code)).toEqual(codes);
    expect(found[0]?.message).toContain(words ?? '$x');
  });

  it.each([
    '($f := {"twice": function($x) { 2 * $x }}; $f.twice(2))',
    '$.parcel.length > 30',
    '$.a[b = "c"]',
    '$sum($.lines.(qty * price))',
    '$.a & "b" & $.c',
    'steps.other.a',
    '$.items[0].`a-b`',
    '$.a ?? "none"',
    '$ ~> |$|{"a": 1}|',
    'items.{sku: price}',
    'items{sku: price}',
    'items.({sku: price})',
    '{$.id: 1}',
    '{`a`: 1}',
    '{"a": 1, \'b\': 2}',
    '$.user’s',
    '"“quoted”"',
    '$.box.length * $.box.width',
    '{"length": $.box.length}',
    '$string($.a)',
  ])('and none is given for %s', (expression) => {
    expect(notesOf(withExpression(expression))).toEqual([]);
  });
});

describe('a text without ${ }', () => {
  const withText = (text: string) => JSON.stringify({ do: [{ t: { set: { a: text } } }] });

  it.each([
    '$input.items[0].id',
    '$steps.t.a',
    '$.a.b',
    '$run',
    '$sum(prices)',
    '$json.id',
    '{{ $json.id }}',
    'Dear {{ name }}, hello',
    '.items[].id',
    '.a.b',
    '.[0]',
    '.items | length',
    'The order $input.id is ready',
    '$ { $.a }',
    '$( $.a )',
    '{$.a}',
    'Total: {$input.total} EUR',
    '{ $steps.t.a }',
  ])('that looks like an expression has a warning: %s', (text) => {
    expect(notesOf(withText(text)).map(({ code }) => code)).toEqual(['LOOKS_LIKE_EXPRESSION']);
  });

  it.each([
    '$5',
    '$5.00',
    '$1.50 each',
    '$HOME/bin',
    '$(date)',
    '$(cat $file)',
    'echo {$HOME}',
    "awk '{print $1}'",
    'if ($.x()) {$.y()}',
    '$ {a}',
    '$${ $.a }',
    'echo $input.txt | sort',
    'costs $input',
    '$',
    '$$',
    '.',
    '..',
    './x',
    '.pdf',
    '.tar.gz',
    '.env.local',
    '.github/workflows',
    '.5',
    '.class-name',
    '.name',
    '^\\.x$',
    '.*',
    '{{',
    '{}',
    '{a}',
    'a.b',
    '$item.x',
    '$unknown.x',
    '#!/bin/sh\nexport A=$input.a;',
    'US$ 5',
    '%d',
    '@a',
    '$${ a }',
  ])('that is just text has none: %s', (text) => {
    expect(notesOf(withText(text))).toEqual([]);
  });

  it('has a warning for one unquoted word after a dot, as jq writes a member', () => {
    expect(notesOf('do: [{ t: { set: { a: .total } } }]')).toHaveLength(1);
    expect(notesOf('do: [{ t: { set: { a: .csv } } }]')).toEqual([]);
  });

  it('has a warning for a loop variable inside its loop only', () => {
    const loop = (text: string) =>
      `do: [{ l: { for: { in: '\${ [1] }' }, do: [{ t: { set: { a: ${text} } } }] } }]`;
    expect(notesOf(loop('$item.x'))).toHaveLength(1);
    expect(notesOf(loop('$other.x'))).toEqual([]);
  });

  it('has a warning when it is a key', () => {
    expect(notesOf('do: [{ t: { set: { "${ $.a }": 1 } } }]')).toEqual([
      expect.objectContaining({
        code: 'LOOKS_LIKE_EXPRESSION',
        message: expect.stringContaining('the whole map as one'),
      }),
    ]);
  });

  it('of prose has none', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9,.'!?%&@#$€-]{1,10}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 12 }), (words) => {
        const text = words.join(' ');
        fc.pre(
          !/\$(input|context|steps|run|properties)\.|wsk_|sk-/.test(text) && !/^\.\w/.test(text),
        );
        expect(notesOf(withText(text))).toEqual([]);
      }),
    );
  });

  it.each([
    ['$.a > 1', "write '${ $.a > 1 }'"],
    ['{{ $json.a }}', "write '${ $json.a }'"],
    ['.a', 'write $.x for ".x"'],
    ['$.a == 1', 'write = for "=="'],
    [true, "write '${ true }'"],
    ['some text', 'this is text without one'],
  ])('where an expression is needed is a fault that says what to write: %s', (condition, words) => {
    const text = JSON.stringify({ do: [{ t: { if: condition, do: [] } }] });
    expect(notesOf(text)).toEqual([
      expect.objectContaining({
        code: 'EXPRESSION_NEEDED',
        message: expect.stringContaining(words),
      }),
    ]);
  });
});
