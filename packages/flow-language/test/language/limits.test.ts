import { faultsOf, planOf } from './support.ts';

const times = (n: number, text: (i: number) => string, between = ''): string =>
  Array.from({ length: n }, (_, i) => text(i)).join(between);

const nested = (levels: number): string =>
  levels === 0 ? '' : `{ t${levels}: { do: [${nested(levels - 1)}] } }`;

/** Nine lists of nine lists of ...: 9^16 values in 600 characters. */
const billionLaughs = `a0: &a0 [x]\n${times(16, (i) => `a${i + 1}: &a${i + 1} [${times(9, () => `*a${i}`, ',')}]`, '\n')}`;

const HOSTILE: [what: string, text: string, code: string][] = [
  ['a billion laughs', billionLaughs, 'TOO_MANY_NODES'],
  ['20,000 keys', times(20_000, (i) => `k${i}: 1`, '\n'), 'TOO_MANY_KEYS'],
  ['1,000 lists in lists', `do: ${'['.repeat(1000)}${']'.repeat(1000)}`, 'TOO_DEEP'],
  ['20,000 lists that are never closed', times(20_000, () => 'x: [\n'), 'TOO_MANY_KEYS'],
  ['1,500 lists that are never closed', times(1_500, (i) => `x${i}: [\n`), 'YAML_SYNTAX'],
  ['20,000 items that are never closed', times(20_000, () => '- x: [\n'), 'TOO_MANY_NODES'],
  ['120,000 open brackets', '['.repeat(120_000), 'TOO_DEEP'],
  ['60,000 dashes', '- '.repeat(60_000), 'TOO_DEEP'],
  ['100,000 commas', `[${','.repeat(100_000)}`, 'TOO_MANY_NODES'],
  ['80,000 values', `do: [${times(80_000, () => '1', ',')}]`, 'TOO_MANY_NODES'],
  ['60,000 aliases', `a: &a x\nb: [${times(60_000, () => '*a', ',')}]`, 'TOO_MANY_NODES'],
  [
    'a long text repeated',
    `a: &a ${'x'.repeat(200_000)}\nb: [${times(99, () => '*a', ',')}]`,
    'TOO_MANY_NODES',
  ],
  ['80,000 quotes', '"'.repeat(80_000), 'YAML_SYNTAX'],
  ['20,000 lines with a colon too many', times(20_000, (i) => `a${i}: b: c`, '\n'), 'TOO_DEEP'],
  [
    '6,000 expressions without quotes',
    `[${times(6_000, () => '$\u007B a }', ',\n')}]`,
    'YAML_SYNTAX',
  ],
  ['8,000 lines without quotes', times(8_000, (i) => `a${i}: @b`, '\n'), 'TOO_MANY_KEYS'],
  ['256 KiB and a byte', `do: [] # ${'é'.repeat(131_068)}`, 'TEXT_TOO_LARGE'],
  [
    '4,900 jumps to nowhere',
    `do:\n${times(4900, (i) => `  - t${i}: { do: [], then: no }\n`)}`,
    'TOO_MANY_FAULTS',
  ],
  [
    '50,000 faults in one string',
    `do: [{ t: { set: { a: '${'$\u007B$q}'.repeat(50_000)}' } } }]`,
    'TOO_MANY_FAULTS',
  ],
  [
    '200,000 parentheses',
    `do: [{ t: { set: { a: "\${${'('.repeat(200_000)}}" } } }]`,
    'EXPRESSION_INVALID',
  ],
];

describe('a hostile file', () => {
  it.each(HOSTILE)('of %s is refused quickly', (_, text, code) => {
    const started = process.cpuUsage();
    const codes = faultsOf(text).map((fault) => fault.split(' ')[1]);
    const { user, system } = process.cpuUsage(started);
    expect(codes).toContain(code);
    // In microseconds of CPU time: a cost that grows with the square of the size takes minutes.
    expect(user + system).toBeLessThan(10_000_000);
  });
});

it('characters that YAML has in quoted strings only are taken there', () => {
  expect(
    faultsOf('do: [{ t: { set: { a: "\x7f\x80\uffff", b: \'\x9f\', c: "\\u0007" } } }]'),
  ).toEqual([]);
});

it('a JSON file with one value too many costs about as much as one with as many as are allowed', () => {
  const file = (n: number) => JSON.stringify({ do: [{ t: { set: { a: Array(n).fill(1) } } }] });
  const cost = (text: string): number => {
    const started = process.cpuUsage();
    faultsOf(text);
    const { user, system } = process.cpuUsage(started);
    return user + system;
  };
  faultsOf(file(1_000));
  expect(faultsOf(file(19_995))).toEqual(['1:40014 TOO_MANY_NODES']);
  expect(cost(file(19_995))).toBeLessThan(3 * cost(file(19_994)));
});

describe('the limits of a file', () => {
  it('takes 1,000 keys in one map and refuses one more', () => {
    const file = (n: number) => `do: [{ t: { set: { ${times(n, (i) => `k${i}: 1`, ', ')} } } }]`;
    expect(faultsOf(file(1000))).toEqual([]);
    expect(faultsOf(file(1001))).toEqual(['1:18 TOO_MANY_KEYS']);
  });

  it('takes 20,000 values, aliases followed, and refuses one more', () => {
    // Beside the items: the file, do, its item, the task, set and the list.
    const file = (n: number) =>
      `do: [{ t: { set: { a: [&x [1, 1, 1], ${times(9, () => '*x', ', ')}, ${times(n - 46, () => '1', ',')}] } } }]`;
    expect(faultsOf(file(20_000))).toEqual([]);
    const last = file(20_001).lastIndexOf('1') + 1;
    expect(faultsOf(file(20_001))).toEqual([`1:${last} TOO_MANY_NODES`]);
  });

  it('names the alias that goes beyond, not the start of the file', () => {
    const bomb = `a: &a [${times(99, () => '1', ',')}]\nb: &b [${times(99, () => '*a', ',')}]\nc: [*b, *b, *b]`;
    expect(faultsOf(bomb)).toEqual(['3:9 TOO_MANY_NODES']);
    const text = `a: &a ${'x'.repeat(200_000)}\nb: [*a, *a, *a, *a, *a, *a]`;
    expect(faultsOf(text)).toEqual(['2:21 TOO_MANY_NODES']);
  });

  it('takes 500 tasks and refuses one more', () => {
    const file = (n: number) => `do:\n${times(n, (i) => `  - t${i}: { do: [] }\n`)}`;
    expect(faultsOf(file(500))).toEqual([]);
    expect(faultsOf(file(501))).toEqual(['502:5 TOO_MANY_TASKS']);
  });

  it('takes ten levels of tasks and refuses one more', () => {
    expect(faultsOf(`do: [${nested(10)}]`)).toEqual([]);
    expect(faultsOf(`do: [${nested(11)}]`)).toEqual(['1:137 TASKS_TOO_DEEP']);
  });

  it('takes a body 100 levels deep', () => {
    const body = `${'['.repeat(100)}${']'.repeat(100)}`;
    expect(faultsOf(`do: [{ t: { set: { a: ${body} } } }]`)).toEqual([]);
  });

  it('takes 30 days', () => {
    const [task] = planOf('do: [{ t: { wait: P30D } }]').tasks;
    expect(task).toMatchObject({ durationMs: 2_592_000_000 });
  });
});
