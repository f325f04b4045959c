import { applyPatch } from 'diff';
import fc from 'fast-check';
import { unifiedDiff } from '../../sandbox/child/unified-diff.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';

const names = ['versions/1', 'versions/2'] as const;
const patched = (from: string, diff: string) =>
  diff === '' ? from : applyPatch(from, diff, { autoConvertLineEndings: false });

const line = fc.constantFrom('a', 'b', '- c', '+++ d', '@@ -1 +1 @@', '\\ No newline', '', 'e\r');
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));

test.each([0, 2, 500])(
  'a diff makes the second text of the first, with at most %d edits',
  (maxEdits) => {
    fc.assert(
      fc.property(text, text, (from, to) => {
        expect(patched(from, unifiedDiff({ from, to, names, maxEdits }))).toBe(to);
      }),
      { numRuns: 500 },
    );
  },
);

test('a diff has the names, and three lines around a change', () => {
  const from = `${Array.from({ length: 20 }, (_, n) => `line ${n}`).join('\n')}\n`;
  const to = from.replace('line 9', 'line nine');
  for (const maxEdits of [0, 500]) {
    expect(unifiedDiff({ from, to, names, maxEdits })).toBe(`--- versions/1
+++ versions/2
@@ -7,7 +7,7 @@
 line 6
 line 7
 line 8
-line 9
+line nine
 line 10
 line 11
 line 12
`);
  }
  expect(unifiedDiff({ from, to: from, names, maxEdits: 500 })).toBe('');
});

describe('in a child of the sandbox', () => {
  const sandbox = createSandbox({ maxChildren: 1, keptForQuick: 0 });
  afterAll(() => sandbox.close());

  const LINES = 128 * 1024;
  const linesOf = (lineAt: (n: number) => string) =>
    Array.from({ length: LINES }, (_, n) => `${lineAt(n)}\n`).join('');
  const random = (n: number) => ((n * 2_654_435_761) >>> 7) % 2;

  test.each([
    [
      'without an equal line',
      linesOf((n) => 'abc'[n % 3] ?? ''),
      linesOf((n) => 'xyz'[n % 3] ?? ''),
    ],
    [
      'with lines in another rhythm',
      linesOf((n) => 'ab'[n % 2] ?? ''),
      linesOf((n) => (n % 3 ? 'a' : 'b')),
    ],
    [
      'with lines by chance',
      linesOf((n) => 'ab'[random(n)] ?? ''),
      linesOf((n) => 'ab'[random(n + 77)] ?? ''),
    ],
    ['of empty lines', '\n'.repeat(2 * LINES), '#\n'.repeat(LINES)],
    ['of one line each', 'a'.repeat(2 * LINES), 'b'.repeat(2 * LINES)],
  ])('two files of 256 KiB %s are compared within the budget', async (_what, from, to) => {
    let cpuMs = 0;
    const onCpu = (ms: number) => {
      cpuMs += ms;
    };
    const diff = await sandbox.diff({ from, to, names }, { tenant: 'workspace:1', onCpu });
    expect(patched(from, diff)).toBe(to);
    expect(cpuMs).toBeGreaterThan(0);
  });
});
