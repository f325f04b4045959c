import type { Execution } from '../../../../test/flows/corpus.ts';
import type { Executed } from './execute.ts';

/** What the corpus says of the outcome of an execution. */
function outcomeIn({ output, error, timedOut, refusedInput }: Execution): object {
  if (refusedInput) return { kind: 'refused', paths: refusedInput };
  if (timedOut) return { kind: 'timed-out' };
  return error ? { kind: 'failed', error } : { kind: 'succeeded', output };
}

export function expectAsExpected(
  { outcome, takesMs, effects }: Executed,
  expected: Execution,
): void {
  expect(outcome).toMatchObject(outcomeIn(expected));
  if ('output' in outcome) expect(outcome.output).toEqual(expected.output);
  if (expected.takesMs !== undefined) expect(takesMs).toBe(expected.takesMs);
  if (expected.effects) expect(effects).toMatchObject(expected.effects);
}
