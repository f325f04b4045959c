import { Problem } from '../../../../contract/problem.ts';
import { assertBounded } from '../../../../mixins/gateway/body/json-bounds.ts';

/** The code of the fault that a text is refused with. */
function refusal(text: string, bounds: { depth: number; values: number }): string | undefined {
  try {
    assertBounded(text, bounds);
  } catch (error) {
    return error instanceof Problem ? error.data.errors?.[0]?.code : String(error);
  }
}

/** Counts the values and the levels of a parsed text. */
function measure(value: unknown): { values: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, depth: 0 };
  const inner = Object.values(value).map(measure);
  return {
    values: inner.reduce((sum, { values }) => sum + values, 1),
    depth: Math.max(0, ...inner.map(({ depth }) => depth)) + 1,
  };
}

it.each([
  '0',
  '{}',
  '[]',
  ' [ ] ',
  '[[],[ ],{\n}]',
  '[[[]],{"a":[{}]},""]',
  '{"a,[{":"\\",[\\\\","b":[0,null,true,1e3]}',
])('counts the values and levels that a text has: %s', (text) => {
  const { values, depth } = measure(JSON.parse(text));
  expect(refusal(text, { values, depth })).toBeUndefined();
  expect(refusal(text, { values: values - 1, depth })).toBe('too_many_values');
  if (depth > 0) expect(refusal(text, { values, depth: depth - 1 })).toBe('too_deep');
});

it('reads a text to its end that is no JSON', () => {
  for (const text of ['', '"', '"\\', ']]]', '[', '{"a']) {
    expect(refusal(text, { values: 2, depth: 1 })).toBeUndefined();
  }
  expect(refusal('['.repeat(100), { values: 1_000, depth: 32 })).toBe('too_deep');
});
