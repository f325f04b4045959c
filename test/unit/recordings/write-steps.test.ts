// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own

import { isTooLong, writeSteps } from '../../../services/recordings/steps/write-steps.ts';
import { StepKey } from '../../../services/workflow-steps/step-fields.ts';
import { flowFileOf, storeStep } from '../../../services/workflow-steps/stored-steps.ts';

const text = (typed: string) => ({ type: 'TEXT', text: typed, afterMs: 1, durationMs: 2 }) as const;
const list = (length: number, typed = 'x') => Array.from({ length }, () => text(typed));

it('numbers the steps', () => {
  const steps = writeSteps(list(11))?.steps ?? [];
  expect([steps[0]?.key, steps[10]?.key]).toEqual(['step-0001', 'step-0011']);
  expect(StepKey.safeParse(steps[0]?.key).success).toBe(true);
});

it('writes texts and keys so that no flow takes them for expressions', () => {
  const typed = ['$', '{', '$${', '${ 1 + 1 }', '$$'].join(' ');
  const written = writeSteps([text(typed), { ...text(''), type: 'KEY', key: '${' }])?.steps;
  expect(written?.map(({ definition }) => definition.set.action)).toMatchObject([
    { text: typed.replaceAll('${', () => '$${') },
    { key: '$${' },
  ]);
});

it('takes 500 steps and not one more', () => {
  expect([writeSteps(list(500))?.steps.length, writeSteps(list(501))]).toEqual([500, null]);
  expect([500, 501].map((length) => isTooLong({ list: list(length), textLength: 0 }))).toEqual([
    false,
    true,
  ]);
});

it('takes steps whose flow file has 256 KiB, and not a byte more', () => {
  const bytesOf = (steps: { key: string; definition: object }[]) =>
    Buffer.byteLength(flowFileOf(steps.map((step) => storeStep(step as never))));
  const rest = 256 * 1024 - bytesOf(writeSteps([text('')])?.steps ?? []);
  const [fitting, beyond] = [rest, rest + 1].map((bytes) => writeSteps([text('x'.repeat(bytes))]));
  expect([bytesOf(fitting?.steps ?? []), beyond]).toEqual([256 * 1024, null]);
});
