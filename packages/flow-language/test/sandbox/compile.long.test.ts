import { SandboxUnavailable } from '../../sandbox/errors.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { CONTEXT, scope } from './request.ts';

const sandbox = createSandbox({ maxChildren: 1 });
afterAll(() => sandbox.close());

test('compiles a file in a child', async () => {
  const { plan, faults } = await sandbox.compile('do: [{ a: { set: { n: 2 } } }]', CONTEXT);
  expect(faults).toEqual([]);
  expect(plan).toMatchObject({ tasks: [{ kind: 'set', name: 'a', path: '/do/0/a' }] });
});

test('gives the faults of a broken one', async () => {
  const { plan, faults } = await sandbox.compile('do: [{ a: { jump: 1 } }]', CONTEXT);
  expect(plan).toBeNull();
  expect(faults).toContainEqual(expect.objectContaining({ line: 1, code: 'UNKNOWN_KEY' }));
});

test('a file that costs more than a child has is too complex', async () => {
  const small = createSandbox({ maxChildren: 1, memoryMb: 16 });
  const text = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(5_000)}] } } }]`;
  expect((await small.compile(text, CONTEXT)).faults).toMatchObject([{ code: 'FLOW_TOO_COMPLEX' }]);
  small.close();
});

test('a stored file that costs more than a child has just now is no worse for it', async () => {
  const small = createSandbox({ maxChildren: 1, memoryMb: 16 });
  const text = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(5_000)}] } } }]`;
  await expect(small.compile(text, { stored: true, ...CONTEXT })).rejects.toThrow(
    SandboxUnavailable,
  );
  small.close();
});

describe('what is nested as deep as it may be', () => {
  /** Each nested `n` deep, and how deep the limit of 600 lets it be. */
  const NESTED: [string, number, (n: number) => string][] = [
    ['parentheses', 200, (n) => nested('(', '1', ')', n)],
    ['calls', 150, (n) => nested('$sum(', '1', ')', n)],
    ['functions', 66, (n) => nested('$map(a, function($x) {', '1', '})', n)],
    ['predicates', 150, (n) => nested('a[', '0', ']', n)],
    ['paths in parentheses', 150, (n) => nested('(a.', 'a', ')', n)],
    ['objects in lists', 100, (n) => nested('[{"a": ', '1', '}]', n)],
    ['sorts', 150, (n) => nested('a^(', 'b', ')', n)],
    ['transforms', 100, (n) => nested('|a|{"b": ', '1', '}|', n)],
    ['signs', 600, (n) => nested('-', '1', '', n)],
    ['sums', 600, (n) => nested('', '1', '+1', n)],
    ['paths', 600, (n) => nested('', 'a', '.a', n)],
    ['words', 600, (n) => nested('', 'a', ' or a', n)],
    ['conditions', 600, (n) => nested('a ? 1 : ', '2', '', n)],
    ['groups', 150, (n) => nested('a{"x": ', '1', '}', n)],
    ['tests in a row', 299, (n) => nested('a.b.c = 1 ? 1 : ', '2', '', n)],
    ['predicates in a row', 597, (n) => nested('', 'a', '[0]', n)],
  ];
  const file = (expression: string) =>
    JSON.stringify({ do: [{ a: { set: { value: `\${${expression}}` } } }] });

  test.each(NESTED)('%s: a fresh child takes it, and none takes more', async (_, most, of) => {
    const fresh = createSandbox({ maxChildren: 1 });
    expect((await fresh.compile(file(of(most)), CONTEXT)).faults).toEqual([]);
    expect((await fresh.compile(file(of(most + 1)), CONTEXT)).faults).toMatchObject([
      { code: 'EXPRESSION_INVALID', message: expect.stringContaining('nested too deeply') },
    ]);
    fresh.close();
  });

  test('the values of a file and its schema', async () => {
    const fresh = createSandbox({ maxChildren: 1 });
    const schema = nested('{ properties: { a: ', 'true', ' } }', 60);
    const value = nested('[', '1', ']', 120);
    const text = `input: { schema: { document: ${schema} } }\ndo: [{ a: { set: { a: ${value} } } }]`;
    expect((await fresh.compile(text, CONTEXT)).faults).toEqual([]);
    fresh.close();
  });

  test.each([
    ['groups', `${'(?:x'.repeat(250)}${')?'.repeat(250)}`],
    ['quantifiers', 'a?'.repeat(500)],
  ])('the %s of a pattern: what compiles can be used', async (_, pattern) => {
    const fresh = createSandbox({ maxChildren: 1 });
    expect((await fresh.compile(file(`$match("a", /${pattern}/)`), CONTEXT)).faults).toEqual([]);
    expect(await fresh.validateInput({ pattern }, 'aaa', CONTEXT)).toEqual({
      valid: true,
    });
    fresh.close();
  });

  test('a chain of schemas: what compiles can be used', async () => {
    const fresh = createSandbox({ maxChildren: 1 });
    const links = Array.from({ length: 62 }, (_, i) => [`s${i}`, { $ref: `#/$defs/s${i + 1}` }]);
    const schema = { $defs: { ...Object.fromEntries(links), s62: { type: 'object' } } };
    const document = { ...schema, properties: { a: { $ref: '#/$defs/s0' } } };
    const text = JSON.stringify({ input: { schema: { document } }, do: [] });
    expect((await fresh.compile(text, CONTEXT)).faults).toEqual([]);
    expect(await fresh.validateInput(document, { a: {} }, CONTEXT)).toEqual({
      valid: true,
    });
    fresh.close();
  });
});

function nested(before: string, inside: string, behind: string, n: number): string {
  return before.repeat(n) + inside + behind.repeat(n);
}

test('files take their turn without holding up expressions', async () => {
  const two = createSandbox({ maxChildren: 2 });
  const ended: string[] = [];
  const text = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(5_000)}] } } }]`;
  const files = Array.from({ length: 6 }, () =>
    two.compile(text, CONTEXT).then(() => ended.push('file')),
  );
  const template = { kind: 'expression' as const, expression: { source: '1', variables: [] } };
  await two.evaluate({ template, ...scope() }).then(() => ended.push('expression'));
  await Promise.all(files);
  expect(ended.indexOf('expression')).toBeLessThan(3);
  two.close();
});

describe('the search for secrets takes linear time', () => {
  const PARTS = [
    'Bearer ',
    'bearer\t\t\t\t',
    'Basic QUFB',
    'wsk_a',
    'sk-',
    'sk-1',
    'gho_',
    'xoxb-',
    'AKIA',
    'eyJ',
    'eyJaaaaa.',
    'eyJaaaaa.eyJ',
    '-----BEGIN ',
    '-----BEGIN AAAAAAAAAAA',
    '?key=',
    '&key',
    '&aaaaaaaaaaaa',
    '://',
    '://a',
    '://:',
    'x',
    ' ',
    '-',
    '_',
  ];

  test.each(PARTS)('in a file of %j', async (part) => {
    const repeated = part.repeat(Math.floor((250 * 1024) / JSON.stringify(part).length));
    for (const text of [
      `# ${repeated}\ndo: []`,
      JSON.stringify({ do: [], metadata: { a: `\n${repeated}` } }),
    ]) {
      const { faults } = await sandbox.compile(text, CONTEXT);
      expect(faults).toEqual([]);
    }
  });
});
