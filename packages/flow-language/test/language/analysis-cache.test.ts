import fc from 'fast-check';
import { AnalysisCache } from '../../language/analysis-cache.ts';
import { compile } from '../../language/compile.ts';
import type { Analysis } from '../../language/expression.ts';

const expression = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('$input.a', '$input.b + 1', '$count($input.c)') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'steps.first',
      '$steps.first.x',
      '$steps.nobody',
      '$nobody',
      '$count($input.c',
      'a == b',
      'not $input.a',
      '',
      '`',
      '"\u{1f600}" & $input',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);
const file = fc
  .array(fc.array(expression, { maxLength: 4 }), { minLength: 1, maxLength: 4 })
  .map((steps) => ({
    do: steps.map((expressions, at) => ({
      [at === 0 ? 'first' : `step${at}`]: {
        set: Object.fromEntries(expressions.map((each, n) => [`x${n}`, `\${${each}}`])),
      },
    })),
  }));

test('a file has the same plan, faults and warnings, whatever files were checked before it', () => {
  const [shared, tiny] = [new AnalysisCache(), new AnalysisCache(1_000)];
  let [plans, faults, warnings] = [0, 0, 0];
  const property = fc.property(file, fc.constantFrom(0, 2), (flow, space) => {
    const text = JSON.stringify(flow, null, space);
    const alone = compile(text);
    for (const analyses of [shared, tiny]) expect(compile(text, { analyses })).toStrictEqual(alone);
    plans += alone.plan ? 1 : 0;
    faults += alone.faults.length;
    warnings += alone.warnings.length;
  });
  fc.assert(property, { numRuns: 200 });
  expect([plans, faults, warnings].filter((count) => count < 5)).toEqual([]);
});

/** Counts the analyses of sources. */
function counting() {
  const sources: string[] = [];
  const analyse = (source: string): Analysis => {
    sources.push(source);
    return { error: { message: '', position: 0 } };
  };
  return { sources, analyse };
}

test('a known source is not analysed again', () => {
  const cache = new AnalysisCache();
  const { sources, analyse } = counting();
  const first = cache.get('a', analyse);
  expect(cache.get('a', analyse)).toBe(first);
  expect(sources).toEqual(['a']);
});

test('beyond its bytes a cache drops the sources that were used least recently', () => {
  const cache = new AnalysisCache(1_200); // an analysis without reads has about 300
  const { sources, analyse } = counting();
  for (const source of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'b']) cache.get(source, analyse);
  expect(sources).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('a source that is larger than the cache is analysed each time', () => {
  const cache = new AnalysisCache(1_200);
  const { sources, analyse } = counting();
  const large = 'x'.repeat(2_000);
  for (const source of ['a', large, large]) cache.get(source, analyse);
  expect(sources).toEqual(['a', large, large]);
});
