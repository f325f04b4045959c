import { prefixOf } from '../../../services/runs/engine/execution/journal/step-records.ts';
import { type ShownStep, showStep } from '../../../services/runs/show-step.ts';

/** The most bytes of a message between services, and those of its envelope at the most. */
const MESSAGE_BYTES = 900 * 1024;
const ENVELOPE_BYTES = 8 * 1024;
/** The bounds of the engine: the input of a step that is kept, and an output. */
const INPUT_BYTES = 256 * 1024;
const OUTPUT_BYTES = 512 * 1024;

/** A step whose values are recorded as the engine does. */
function stepOf(input: unknown, output: unknown): ShownStep {
  const json = JSON.stringify(input);
  const beginning = prefixOf(json, INPUT_BYTES);
  return {
    n: 1,
    step: {
      path: '/do/0/a',
      name: 'a',
      iteration: '',
      visit: 1,
      attempt: 1,
      status: 'SUCCESS',
      input: beginning ?? json,
      ...(beginning === null ? {} : { inputCut: true as const }),
      output: JSON.stringify(output),
      error: null,
      startedAt: new Date(0),
      completedAt: new Date(0),
    },
  };
}
const largest = 'z'.repeat(OUTPUT_BYTES - 2);

test.each([
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['characters of three bytes', '€'],
  ['mixed characters', '\\"é€😀x\n'],
])('a large input of %s fits beside the largest output', (_, text) => {
  const input = text.repeat(400_000 / text.length);
  const step = showStep(stepOf(input, largest));
  const bytes = Buffer.byteLength(JSON.stringify(step));
  expect(bytes).toBeLessThan(MESSAGE_BYTES - ENVELOPE_BYTES);
  expect(step).toMatchObject({ output: largest, inputTruncated: true });
  expect(JSON.stringify(input).startsWith(step.input as string)).toBe(true);
  expect((step.input as string).length).toBeGreaterThan(50_000);
});

test('an input that is kept whole is shown whole beside the largest output', () => {
  const input = { text: '"'.repeat(120_000) };
  const step = showStep(stepOf(input, largest));
  expect(step).toMatchObject({ input, output: largest });
  expect(step.inputTruncated).toBeUndefined();
});

test('a cut input is shown as it is kept beside a small output', () => {
  const shown = stepOf('"'.repeat(200_000), 1);
  expect(showStep(shown)).toMatchObject({ input: shown.step.input, inputTruncated: true });
});

test('a step without values shows none', () => {
  const { n, step } = stepOf(1, 1);
  expect(showStep({ n, step: { ...step, input: null, output: null } })).toMatchObject({
    input: null,
    output: null,
  });
});
