// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import { compile } from '../../language/compile.ts';
import { faultsOf } from './support.ts';

/** One task `t` on line 2, its content from column 8. */
const task = (content: string): string => `do:\n  - t: ${content}\n`;
const described = (content: string): string => task(`{ call: apiDescription, with: ${content} }`);
const call = (content: string): string => task(`{ call: http, with: ${content} }`);
/** `document` of an input schema, from column 32 of line 1. */
const schema = (document: string): string =>
  `input: { schema: { document:   ${document} } }\ndo: []`;

const BAD: [what: string, text: string, faults: string[]][] = [
  // The text
  ['an empty file', '', ['1:1 EMPTY_FILE']],
  ['a file of comments', '# nothing\n', ['1:1 EMPTY_FILE']],
  ['a NUL character', 'do: []\n# \0', ['2:3 TEXT_INVALID']],
  ['half of a surrogate pair', 'do: []\n# \ud800', ['2:3 TEXT_INVALID']],
  [
    'half of a surrogate pair by an escape',
    task('{ set: { a: "\\ud800" } }'),
    ['2:20 TEXT_INVALID'],
  ],
  ['a text instead of a map', 'hello', ['1:1 WRONG_TYPE']],
  ['nothing to do', 'metadata: {}', ['1:1 MISSING_KEY']],
  // YAML
  ['a tab', 'do:\n\t- a: {}\n', ['2:1 YAML_SYNTAX']],
  ['a tab where a value begins', 'do:\n  - t:\n      set:\n\ta: 1\n', ['4:1 YAML_SYNTAX']],
  ['an unclosed quote', 'do:\n  - a: { set: { x: "1 } }\n', ['2:20 YAML_SYNTAX']],
  ['two documents', 'do: []\n---\ndo: []\n', ['2:1 MULTIPLE_DOCUMENTS']],
  ['another version of YAML', '%YAML 1.1\n---\ndo: []\n', ['1:1 YAML_DIRECTIVE']],
  ['a custom tag', task('{ set: { a: !mine 1 } }'), ['2:20 CUSTOM_TAG']],
  ['an ordered map', task('{ set: { a: !!omap [a: 1, a: 2] } }'), ['2:20 CUSTOM_TAG']],
  ['pairs', task('{ set: { a: !!pairs [a, b] } }'), ['2:20 CUSTOM_TAG']],
  ['a long tag', 'do: !<tag:yaml.org,2002:omap> [a: { do: [] }]', ['1:5 CUSTOM_TAG']],
  ['a tag at the top', '!!pairs # note\n- do: 1\n', ['1:1 CUSTOM_TAG']],
  ['a set with values', task('{ set: !!set { a: 1 } }'), ['2:15 CUSTOM_TAG']],
  ['text as a whole number', task('{ set: { a: !!int x } }'), ['2:20 WRONG_TYPE']],
  ['a fraction as a whole number', task('{ set: { a: !!int 1.5 } }'), ['2:20 WRONG_TYPE']],
  ['text as a boolean', task('{ set: { a: !!bool x } }'), ['2:20 WRONG_TYPE']],
  ['a list as a map', task('{ set: !!map [1] }'), ['2:15 WRONG_TYPE']],
  ['a map as a string', task('{ set: { a: !!str {b: 1} } }'), ['2:20 WRONG_TYPE']],
  ['binary', task('{ set: { a: !!binary aGk= } }'), ['2:20 CUSTOM_TAG']],
  ['a merge key', task('{ set: { <<: { a: 1 } } }'), ['2:17 MERGE_KEY']],
  ['a bell', 'do: []\n# \x07 and \x1f', ['2:3 TEXT_INVALID', '2:9 TEXT_INVALID']],
  [
    'a DEL in a comment and plain text',
    task('{ set: { a: b\x7f } } #\x80'),
    ['2:21 TEXT_INVALID', '2:28 TEXT_INVALID'],
  ],
  ['a character that is none', task('{ set: { a: \uffff } }'), ['2:20 TEXT_INVALID']],
  ['a number as key', task('{ set: { a: { 1: 2 } } }'), ['2:22 KEY_NOT_A_STRING']],
  ['a list as key', task('{ set: { a: { [b]: 2 } } }'), ['2:22 KEY_NOT_A_STRING']],
  ['a key twice', task('{ set: { a: 1, a: 2 } }'), ['2:23 DUPLICATE_KEY']],
  ['infinity', task('{ set: { a: -.inf } }'), ['2:20 NUMBER_NOT_FINITE']],
  ['not a number', task('{ set: { a: .nan } }'), ['2:20 NUMBER_NOT_FINITE']],
  ['a number too large', task('{ set: { a: 1e999 } }'), ['2:20 NUMBER_NOT_FINITE']],
  ['an unknown alias', task('{ set: { a: *no } }'), ['2:20 UNKNOWN_ALIAS']],
  ['a value inside itself', task('{ set: { a: &a [*a] } }'), ['2:24 CIRCULAR_ALIAS']],
  // The flow
  ['an unknown keyword', 'do: []\nsteps: []', ['2:1 UNKNOWN_KEY']],
  ['use and schedule', 'use: {}\nschedule: {}\ndo: []', ['1:1 REFUSED', '2:1 REFUSED']],
  ['a later DSL', "document: { dsl: '1.0.1' }\ndo: []", ['1:18 INVALID_VALUE']],
  ['another DSL', 'document: { dsl: 2.0.0 }\ndo: []', ['1:18 INVALID_VALUE']],
  ['a bad namespace', 'document: { namespace: a b }\ndo: []', ['1:24 INVALID_VALUE']],
  ['a bad name', 'document: { name: -a }\ndo: []', ['1:19 INVALID_VALUE']],
  ['a number as version', 'document: { version: 1.0 }\ndo: []', ['1:22 WRONG_TYPE']],
  ['another language', 'evaluate: { language: jq }\ndo: []', ['1:23 INVALID_VALUE']],
  ['an evaluation mode', 'evaluate: { mode: strict }\ndo: []', ['1:13 UNKNOWN_KEY']],
  [
    'a schema to fetch',
    'input: { schema: { document: {}, resource: {} } }\ndo: []',
    ['1:34 REFUSED'],
  ],
  [
    'a schema in another format',
    'input: { schema: { format: avro, document: {} } }\ndo: []',
    ['1:28 INVALID_VALUE'],
  ],
  // Names and jumps
  ['two names in one item', 'do:\n  - a: { do: [] }\n    b: { do: [] }', ['3:5 INVALID_VALUE']],
  ['an item without a name', 'do:\n  - {}', ['2:5 INVALID_VALUE']],
  ['a bad task name', 'do: [{ 1st: { do: [] } }]', ['1:8 INVALID_NAME']],
  ['a task name of 65 characters', `do: [{ ${'a'.repeat(65)}: { do: [] } }]`, ['1:8 INVALID_NAME']],
  ['a reserved task name', 'do: [{ exit: { do: [] } }]', ['1:8 RESERVED_NAME']],
  [
    'a task name twice, at different depths',
    'do:\n  - a: { do: [{ b: { do: [] } }] }\n  - b: { do: [] }',
    ['3:5 DUPLICATE_NAME'],
  ],
  ['a jump to nowhere', task('{ do: [], then: nowhere }'), ['2:24 UNKNOWN_TARGET']],
  [
    'a jump into another list',
    task('{ do: [{ u: { do: [], then: t } }] }'),
    ['2:36 UNKNOWN_TARGET'],
  ],
  // Tasks
  ['a task that does nothing', task('{ if: "${ 1 }" }'), ['2:8 TASK_KIND_MISSING']],
  [
    'a task that does two things',
    task('{ set: { a: 1 }, wait: PT1S }'),
    ['2:25 TASK_KIND_AMBIGUOUS'],
  ],
  ['a keyword of another kind', task('{ set: { a: 1 }, catch: {} }'), ['2:25 UNKNOWN_KEY']],
  ['an empty set', task('{ set: {} }'), ['2:15 INVALID_VALUE']],
  ['a set that is an expression', task('{ set: "${ $ }" }'), ['2:15 WRONG_TYPE']],
  ['emit', task('{ emit: {} }'), ['2:10 REFUSED']],
  ['call: grpc', task('{ call: grpc, with: {} }'), ['2:16 REFUSED']],
  ['call: apiDescription of nothing', described('{}'), ['2:38 MISSING_KEY']],
  ['an id in quotes', described('{ apiDescriptionId: "31" }'), ['2:58 INVALID_VALUE']],
  ['an id of 0', described('{ apiDescriptionId: 0 }'), ['2:58 INVALID_VALUE']],
  ['half an id', described('{ apiDescriptionId: 1.5 }'), ['2:58 INVALID_VALUE']],
  [
    'an id that is an expression',
    described('{ apiDescriptionId: "${ 1 }" }'),
    ['2:58 EXPRESSION_NOT_ALLOWED'],
  ],
  [
    'an unknown credential',
    described('{ apiDescriptionId: 1, credential: Source }'),
    ['2:73 INVALID_VALUE'],
  ],
  [
    'a credential of 0',
    described('{ apiDescriptionId: 1, credential: 0 }'),
    ['2:73 INVALID_VALUE'],
  ],
  ['no credential', described('{ apiDescriptionId: 1, credential: }'), ['2:73 INVALID_VALUE']],
  [
    'a computed credential',
    described('{ apiDescriptionId: 1, credential: "${ $input.c }" }'),
    ['2:73 EXPRESSION_NOT_ALLOWED'],
  ],
  [
    'an endpoint beside a description',
    described('{ apiDescriptionId: 1, endpoint: "https://x" }'),
    ['2:61 UNKNOWN_KEY'],
  ],
  ['a list as query', described('{ apiDescriptionId: 1, query: [] }'), ['2:68 WRONG_TYPE']],
  ['a text as path', described('{ apiDescriptionId: 1, path: "a/${ 1 }" }'), ['2:67 WRONG_TYPE']],
  [
    'an expression that is never closed as path',
    described('{ apiDescriptionId: 1, path: "${ 1" }'),
    ['2:68 EXPRESSION_UNTERMINATED'],
  ],
  [
    'an empty value in the path',
    described('{ apiDescriptionId: 1, path: { id: "", n: null } }'),
    ['2:73 INVALID_VALUE', '2:80 INVALID_VALUE'],
  ],
  [
    'a header with a space',
    described('{ apiDescriptionId: 1, headers: { "a b": 1 } }'),
    ['2:72 INVALID_VALUE'],
  ],
  [
    'an unknown step in a body',
    described('{ apiDescriptionId: 1, body: "${ $steps.no }" }'),
    ['2:78 UNKNOWN_STEP'],
  ],
  ['call of something unknown', task('{ call: home, with: {} }'), ['2:16 INVALID_VALUE']],
  ['call: http with nothing', task('{ call: http }'), ['2:8 MISSING_KEY']],
  ['an empty call', call('{}'), ['2:28 MISSING_KEY', '2:28 MISSING_KEY']],
  ['an unknown method', call('{ method: BREW, endpoint: "https://x" }'), ['2:38 INVALID_VALUE']],
  ['redirect', call('{ method: GET, endpoint: "https://x", redirect: true }'), ['2:66 REFUSED']],
  [
    'a bad header',
    call('{ method: GET, endpoint: "https://x", headers: { "a b": 1 } }'),
    ['2:77 INVALID_VALUE'],
  ],
  [
    'an unknown output',
    call('{ method: GET, endpoint: "https://x", output: all }'),
    ['2:74 INVALID_VALUE'],
  ],
  [
    'an endpoint that is relative',
    call('{ method: GET, endpoint: /x }'),
    ['2:53 ENDPOINT_INVALID'],
  ],
  [
    'an endpoint that is no HTTP',
    call('{ method: GET, endpoint: "ftp://x" }'),
    ['2:53 ENDPOINT_INVALID'],
  ],
  [
    'credentials in an endpoint',
    call('{ method: GET, endpoint: "https://u:p@x" }'),
    ['2:53 ENDPOINT_INVALID'],
  ],
  [
    'text around the expression of an endpoint',
    call('{ method: GET, endpoint: "https://x/${ $.id }" }'),
    ['2:53 ENDPOINT_INVALID'],
  ],
  [
    'an operator in a URI template',
    call('{ method: GET, endpoint: "https://x/{?q}" }'),
    ['2:53 ENDPOINT_INVALID'],
  ],
  ['an empty endpoint', call('{ method: GET, endpoint: {} }'), ['2:53 MISSING_KEY']],
  [
    'an endpoint that is relative, as uri',
    call('{ method: GET, endpoint: { uri: /x } }'),
    ['2:60 ENDPOINT_INVALID'],
  ],
  [
    'authentication in an endpoint',
    call('{ method: GET, endpoint: { uri: "https://x", authentication: {} } }'),
    ['2:73 REFUSED'],
  ],
  [
    'an unknown field of an endpoint',
    call('{ method: GET, endpoint: { url: "https://x" } }'),
    ['2:55 UNKNOWN_KEY'],
  ],
  ['an empty switch', task('{ switch: [] }'), ['2:18 INVALID_VALUE']],
  ['a case without then', task('{ switch: [{ a: { when: "${ 1 }" } }] }'), ['2:24 MISSING_KEY']],
  [
    'two defaults',
    task('{ switch: [{ a: { then: end } }, { b: { then: end } }] }'),
    ['2:43 SECOND_DEFAULT'],
  ],
  [
    'a case twice',
    task('{ switch: [{ a: { then: end } }, { a: { when: "${ 1 }", then: end } }] }'),
    ['2:43 DUPLICATE_NAME'],
  ],
  ['a loop over nothing', task('{ for: {}, do: [] }'), ['2:15 MISSING_KEY']],
  [
    'a loop variable with a taken name',
    task('{ for: { each: input, at: sum, in: "${ $ }" }, do: [] }'),
    ['2:23 RESERVED_NAME', '2:34 RESERVED_NAME'],
  ],
  [
    'two loop variables of one name',
    task('{ for: { each: x, at: x, in: "${ $ }" }, do: [] }'),
    ['2:30 DUPLICATE_NAME'],
  ],
  ['try without catch', task('{ try: [] }'), ['2:8 MISSING_KEY']],
  ['catch.as of a function', task('{ try: [], catch: { as: count } }'), ['2:32 RESERVED_NAME']],
  [
    'an expression in an error filter',
    task('{ try: [], catch: { errors: { with: { title: "${ $ }" } } } }'),
    ['2:53 EXPRESSION_NOT_ALLOWED'],
  ],
  [
    'two backoffs',
    task('{ try: [], catch: { retry: { backoff: { linear: {}, constant: {} } } } }'),
    ['2:46 INVALID_VALUE'],
  ],
  [
    'half a jitter',
    task('{ try: [], catch: { retry: { jitter: { from: PT1S } } } }'),
    ['2:45 MISSING_KEY'],
  ],
  ['a name of a retry policy', task('{ try: [], catch: { retry: mine } }'), ['2:35 WRONG_TYPE']],
  [
    'an error without status',
    task('{ raise: { error: { type: "https://x/y" } } }'),
    ['2:26 MISSING_KEY'],
  ],
  [
    'an error type that is no https URI',
    task('{ raise: { error: { type: oops, status: 500 } } }'),
    ['2:34 INVALID_VALUE'],
  ],
  [
    'an error status of 1000',
    task('{ raise: { error: { type: "https://x/y", status: 1000 } } }'),
    ['2:57 INVALID_VALUE'],
  ],
  ['a name of an error', task('{ raise: { error: mine } }'), ['2:26 WRONG_TYPE']],
  ['a duration with a fraction', task('{ wait: { seconds: 1.5 } }'), ['2:27 DURATION_INVALID']],
  ['a negative duration', task('{ wait: { seconds: -1 } }'), ['2:27 DURATION_INVALID']],
  ['a duration in years', task('{ wait: P1Y }'), ['2:16 DURATION_INVALID']],
  ['a duration of months', task('{ wait: { months: 1 } }'), ['2:18 UNKNOWN_KEY']],
  ['a duration that is empty', task('{ wait: {} }'), ['2:16 DURATION_INVALID']],
  [
    'a duration over 30 days',
    task('{ wait: { days: 30, milliseconds: 1 } }'),
    ['2:16 DURATION_TOO_LONG'],
  ],
  ['a timeout by name', task('{ do: [], timeout: mine }'), ['2:27 WRONG_TYPE']],
  // Expressions
  ['if without an expression', task('{ do: [], if: "true" }'), ['2:22 EXPRESSION_NEEDED']],
  ['if with text around', task('{ do: [], if: "a ${ 1 }" }'), ['2:22 EXPRESSION_NEEDED']],
  ['if with an escape', task('{ do: [], if: "$${ 1 }" }'), ['2:22 EXPRESSION_NEEDED']],
  [
    'as without an expression',
    task('{ do: [], output: { as: total } }'),
    ['2:32 EXPRESSION_NEEDED'],
  ],
  ['as that is a list', task('{ do: [], export: { as: [1] } }'), ['2:32 WRONG_TYPE']],
  ['an unclosed expression', task('{ set: { a: "b ${ c" } }'), ['2:23 EXPRESSION_UNTERMINATED']],
  ['a broken expression', task('{ set: { a: "b ${ $sum( }" } }'), ['2:32 EXPRESSION_INVALID']],
  ['an empty expression', task('{ set: { a: "${}" } }'), ['2:23 EXPRESSION_INVALID']],
  ['an unknown variable', task('{ set: { a: "${ 1 + $nope }" } }'), ['2:28 UNKNOWN_VARIABLE']],
  ['$eval', task('{ set: { a: "${ $eval(\'1\') }" } }'), ['2:24 UNKNOWN_VARIABLE']],
  [
    'a loop variable outside its loop',
    task('{ for: { in: "${ $item }" }, do: [] }'),
    ['2:25 UNKNOWN_VARIABLE'],
  ],
  ['an unknown step', task('{ set: { a: "${ $steps.u.x }" } }'), ['2:31 UNKNOWN_STEP']],
  [
    'an unknown step in backticks',
    task('{ set: { a: "${ $steps.`u-v`.x }" } }'),
    ['2:31 UNKNOWN_STEP'],
  ],
  // JSON Schema
  ['a schema that is a number', schema('1'), ['1:32 SCHEMA_INVALID']],
  ['an unknown type', schema('{ type: text }'), ['1:40 SCHEMA_INVALID']],
  ['a broken pattern', schema('{ pattern: "(" }'), ['1:43 SCHEMA_INVALID']],
  ['a remote reference', schema('{ $ref: "https://x/y" }'), ['1:40 SCHEMA_REMOTE_REF']],
  ['a reference to nowhere', schema('{ $ref: "#/$defs/no" }'), ['1:40 SCHEMA_INVALID']],
];

describe('a file with a fault', () => {
  it.each(BAD)('%s', (_, text, expected) => {
    expect(faultsOf(text).sort()).toEqual([...expected].sort());
  });

  it('gets no plan', () => {
    expect(compile('do: 1').plan).toBeNull();
  });

  it('says what was wrong and what is allowed', () => {
    expect(compile(task('{ do: [], whit: 1 }')).faults).toEqual([
      {
        line: 2,
        column: 18,
        pointer: '/do/0/t/whit',
        code: 'UNKNOWN_KEY',
        message:
          'Unknown keyword "whit" in the task "t"; allowed: do, if, input, output, export, timeout, then, metadata.',
      },
    ]);
  });

  it('gets all its faults at once, in the order of the text', () => {
    const text = 'use: {}\ndo:\n  - 1a: { wait: P1Y }\n  - b: { do: [], if: x, then: c }\n';
    expect(faultsOf(text)).toEqual([
      '1:1 REFUSED',
      '3:5 INVALID_NAME',
      '3:17 DURATION_INVALID',
      '4:22 EXPRESSION_NEEDED',
      '4:31 UNKNOWN_TARGET',
    ]);
  });

  it('gets the faults before a syntax error, not what follows from it', () => {
    const text = 'do:\n  - a: { wait: P1Y, then: c }\n  - b: { set: { x: 1 }\n  - c: { do: [] }\n';
    expect(faultsOf(text)).toEqual(['2:16 DURATION_INVALID', '3:8 YAML_SYNTAX']);
  });

  it('gets the first hundred faults and the number of the others', () => {
    const items = Array.from({ length: 150 }, (_, i) => `  - t${i}: { wait: no }`).join('\n');
    const { faults } = compile(`do:\n${items}\n`);
    expect(faults).toHaveLength(101);
    expect(faults[100]).toMatchObject({ line: 102, code: 'TOO_MANY_FAULTS' });
    expect(faults[100]?.message).toContain('50 more');
  });

  it('names a fault inside a block scalar on its own line', () => {
    const text =
      'do:\n  - t:\n      set:\n        a: |\n          ${ $input.a +\n            $nope }\n';
    expect(faultsOf(text)).toEqual(['6:13 UNKNOWN_VARIABLE']);
  });

  it('names a fault in a folded string on its own line', () => {
    const text = "do:\n  - t:\n      set:\n        a: '${ $input.a +\n\n          $nope }'\n";
    expect(faultsOf(text)).toEqual(['6:11 UNKNOWN_VARIABLE']);
  });

  it('names a fault behind escapes in JSON', () => {
    const text = '{"do": [{"t": {"set": {"a": "${ \\"x\\" &\\n\\t $nope }"}}}]}';
    expect(faultsOf(text)).toEqual([`1:${text.indexOf('$nope') + 1} UNKNOWN_VARIABLE`]);
  });

  it('names a regular expression that has too many parts', () => {
    const flow = (n: number) =>
      `do: [{ t: { set: { a: '\${ $match("a", /${'a?'.repeat(n)}/) }' } } }]`;
    expect(faultsOf(flow(500))).toEqual([]);
    expect(faultsOf(flow(501))).toEqual(['1:39 EXPRESSION_INVALID']);
  });

  it.each([
    '\\u0041',
    '\\"',
    '\\x41\\/',
    '\\U0001F600',
    '\\ud83d\\ude00',
    '\\_',
    '\\\\u0041',
    '\\\n      ',
    "'",
  ])('names a fault behind %j in double quotes', (written) => {
    const text = `do: [{ t: { set: { a: "${written} \${ $nope }" } } }]`;
    const before = text.slice(0, text.indexOf('$nope')).split('\n');
    const column = (before.at(-1) ?? '').length + 1;
    expect(faultsOf(text)).toEqual([`${before.length}:${column} UNKNOWN_VARIABLE`]);
  });
});
