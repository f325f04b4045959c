import fc from 'fast-check';
import { Description } from '../../../contract/fields.ts';
import {
  appendFailureLines,
  refreshFailureLines,
  withFailureLines,
} from '../../../services/issues/failures/failure-lines.ts';

const linesOf = (count: number, runId: number) =>
  `Failed ${count} ${count === 1 ? 'time' : 'times'}\nLast run: http://127.0.0.1:3000/flows/runs/${runId}`;

const failures = fc.record({
  count: fc.integer({ min: 1, max: 1_000_000 }),
  lastRunId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
});
/** Texts as people write them, some of which resemble the lines of failures, up to the limit of a description. */
const description = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom('', '\n', '\n\n', ' ', '\t', '😀'.repeat(5_000), 'x'.repeat(9_950)),
      fc.constantFrom('Failed 3 times', 'Last run: http://x.test/flows/runs/7', linesOf(2, 9)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join('\n').slice(0, 10_000).toWellFormed())
  .filter((text) => Description.safeParse(text).success);

test('the lines of failures are the last two lines of a description, which stays within its limit', () => {
  fc.assert(
    fc.property(description, failures, (text, { count, lastRunId }) => {
      const described = withFailureLines(text, { count, lastRunId });
      expect(described.split('\n').slice(-2).join('\n')).toBe(linesOf(count, lastRunId));
      expect(Description.parse(described)).toBe(described);
    }),
  );
});

test('later lines replace the earlier lines, and the text above them stays', () => {
  fc.assert(
    fc.property(description, failures, failures, (text, earlier, later) => {
      const described = withFailureLines(text, earlier);
      const above = described.slice(0, -linesOf(earlier.count, earlier.lastRunId).length).trimEnd();
      const again = withFailureLines(described, later);
      const kept = again.slice(0, -linesOf(later.count, later.lastRunId).length).trimEnd();
      // Longer lines may take the last characters of a text that fills the description.
      if (kept !== above) expect(above.startsWith(kept.slice(0, -2))).toBe(true);
      if (above.length < 9_000) expect(kept).toBe(above);
    }),
  );
});

test('an error that ends with such lines keeps them, and later lines replace only those below', () => {
  const error = 'Out of stock\n\nFailed 3 times\nLast run: http://evil.test/flows/runs/7';
  const described = appendFailureLines(error, { count: 1, lastRunId: 9 });
  expect(described).toBe(`${error}\n\n${linesOf(1, 9)}`);
  expect(withFailureLines(described, { count: 2, lastRunId: 10 })).toBe(
    `${error}\n\n${linesOf(2, 10)}`,
  );
});

test('an edited text stays above the lines', () => {
  fc.assert(
    fc.property(description, failures, (text, count) => {
      fc.pre(text.length < 9_000 && refreshFailureLines(text, count) === text);
      const expected = text.trimEnd();
      expect(withFailureLines(text, count)).toBe(
        `${expected}${expected && '\n\n'}${linesOf(count.count, count.lastRunId)}`,
      );
    }),
  );
});

test('a text that is written back with old lines gets the present ones, and any other text stays as it is', () => {
  const now = { count: 4, lastRunId: 12 };
  expect(refreshFailureLines(`Mine\n\n${linesOf(1, 9)}\n`, now)).toBe(`Mine\n\n${linesOf(4, 12)}`);
  expect(refreshFailureLines('Mine ', now)).toBe('Mine ');
  expect(refreshFailureLines(`${linesOf(1, 9)}\nMore`, now)).toBe(`${linesOf(1, 9)}\nMore`);
});

test('a text that fills the description loses its last characters, and no character is cut in halves', () => {
  const described = withFailureLines('😀'.repeat(5_000), { count: 1, lastRunId: 1 });
  expect(described).toHaveLength(10_000);
  expect(described.isWellFormed()).toBe(true);
  expect(described).toMatch(/^(?:😀)+\ufffd?…\n\nFailed 1 time\n/u);
});
