import type { Json } from '../../plan.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { CONTEXT } from './request.ts';

const sandbox = createSandbox();
const validate = (schema: Json, value: Json) => sandbox.validateInput(schema, value, CONTEXT);
afterAll(() => sandbox.close());

const schema = {
  type: 'object',
  required: ['since'],
  properties: { since: { type: 'string' }, tags: { type: 'array', items: { type: 'integer' } } },
};

test('accepts what the schema describes', async () => {
  expect(await validate(schema, { since: 'x', tags: [1] })).toEqual({ valid: true });
  expect(await validate(true, null)).toEqual({ valid: true });
});

test('names the place of each fault and not those above it', async () => {
  const verdict = await validate(schema, { tags: [1, 'a'] });
  expect(verdict).toMatchObject({ valid: false, errors: [{ path: '' }, { path: '/tags/1' }] });
});

test('takes the text of an integer beyond a double for an integer, where the schema wants one', async () => {
  const one = { type: ['integer', 'null'], minimum: 5 };
  const ids = {
    properties: {
      'a/b é': one,
      text: { type: 'string' },
      list: { items: { anyOf: [one, { const: 'x' }] } },
    },
  };
  const large = '7615917337495251231';
  expect(await validate(one, large)).toEqual({ valid: true });
  expect(await validate(ids, { 'a/b é': large, text: large, list: [large, 'x', large] })).toEqual({
    valid: true,
  });
  for (const [value, path] of [
    [{ 'a/b é': `-${large}` }, '/a~1b é'],
    [{ 'a/b é': '7' }, '/a~1b é'],
    [{ text: 7 }, '/text'],
  ] as const) {
    expect(await validate(ids, value)).toMatchObject({ errors: [{ path }] });
  }
});

test('refuses values by a pattern that backtracks for ever', async () => {
  const hostile = { pattern: '^(a+)+$' };
  const verdict = await validate(hostile, `${'a'.repeat(40)}!`);
  expect(verdict).toMatchObject({ valid: false, gaveUp: true });
});

test('gives no verdict where the value is too deep for the stack', async () => {
  const deep = (n: number, value: Json): Json => (n === 0 ? value : deep(n - 1, { a: value }));
  const list = { properties: { a: { $ref: '#' } } };
  expect(await validate(list, deep(32, true))).toEqual({ valid: true });
  const verdict = await validate(list, deep(2_000, true));
  expect(verdict).toMatchObject({ valid: false, gaveUp: true });
});

test('names keys by a JSON pointer, whatever is in them', async () => {
  const open = { additionalProperties: { additionalProperties: { type: 'string' } } };
  const key = 'a/b~c#d%20é';
  const verdict = await validate(open, { [key]: { 'b.x': 1 } });
  expect(verdict).toMatchObject({ errors: [{ path: '/a~1b~0c#d%20é/b.x' }] });
});

test.each([[{ $ref: 'https://example.com/x' }], [{ pattern: '(' }], [{ $ref: '#' }], [7], [null]])(
  'refuses values by the unusable schema %j',
  async (unusable) => {
    expect(await validate(unusable, 'text')).toMatchObject({ valid: false });
  },
);
