import type { Json, Step } from '@workspace-automation/flow-language';
import { StepRecords } from '../../../services/runs/engine/execution/journal/step-records.ts';

const through = (value: Json): Step => ({
  position: {
    path: '/do/0/a',
    name: 'a',
    iteration: '',
    visit: 1,
    attempt: 1,
    key: '/do/0/a//1/1',
  },
  kind: 'do',
  status: 'SUCCESS',
  input: value,
  output: value,
  error: null,
  startedAt: 0,
  completedAt: 0,
});

test('a value that passes through many steps is written out once', () => {
  let written = 0;
  const value = { x: 'x'.repeat(500_000) };
  const large = Object.defineProperty(value, 'toJSON', {
    value: () => {
      written++;
      return { ...value };
    },
  });
  const records = new StepRecords(0);
  for (let step = 0; step < 1_000; step++) records.recordOf(through(large));
  expect(written).toBe(1);
});

test('when a run has kept a lot, little is kept of what is large and all of what is small', () => {
  const records = new StepRecords(0);
  const large = 'x'.repeat(500_000);
  expect(records.recordOf(through(large)).output).toHaveLength(500_002);
  for (let step = 0; step < 10_000; step++) records.recordOf(through(large));
  expect(records.bytes).toBeLessThan(32 * 1024 * 1024);
  expect(records.recordOf(through(large))).toMatchObject({ inputCut: true, outputCut: true });
  expect(records.recordOf(through({ n: 1 }))).toMatchObject({
    input: '{"n":1}',
    output: '{"n":1}',
  });
});

test('errors, and where the steps were, count as well, and in the end no more is kept', () => {
  const records = new StepRecords(0);
  const path = '/do/0/a'.repeat(100);
  const error = {
    type: 'https://a.test/e',
    status: 500,
    title: 'T',
    detail: 'x'.repeat(4_096),
    instance: path,
  };
  const failed = { ...through(null), error };
  failed.position = { ...failed.position, path, key: path };
  const before = records.bytes;
  const { error: kept } = records.recordOf(failed);
  expect(records.bytes - before).toBeGreaterThan(4_096 + 3 * path.length);
  expect(JSON.parse(kept ?? '')).toEqual(error);
  let steps = 0;
  for (; !records.isFull; steps++) records.recordOf(failed);
  expect(steps).toBeLessThan(20_000);
  expect(JSON.parse(records.recordOf(failed).error ?? '').detail).toHaveLength(256);
});
