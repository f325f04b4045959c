/** All files of `test/flows` through the sandbox, and the valid files through the interpreter as well. */
import { validate } from '@serverlessworkflow/sdk';
import { type Execution, readInvalidFlows, readValidFlows } from '../../../../test/flows/corpus.ts';
import { addDefaults } from '../../language/file-defaults.ts';
import type { Plan } from '../../plan.ts';
import { context, type Executed, execute, sandbox } from './execute.ts';

const valid = readValidFlows();
const invalid = readInvalidFlows();

async function planOf(text: string): Promise<Plan> {
  const { plan, faults } = await sandbox.compile(text, context);
  if (!plan) throw new Error(JSON.stringify(faults));
  return plan;
}

/** What the corpus says of the outcome of an execution. */
function outcomeIn({ output, error, timedOut, refusedInput }: Execution): object {
  if (refusedInput) return { kind: 'refused', paths: refusedInput };
  if (timedOut) return { kind: 'timed-out' };
  return error ? { kind: 'failed', error } : { kind: 'succeeded', output };
}

function expectAsExpected({ outcome, takesMs, effects }: Executed, expected: Execution): void {
  expect(outcome).toMatchObject(outcomeIn(expected));
  if ('output' in outcome) expect(outcome.output).toEqual(expected.output);
  if (expected.takesMs !== undefined) expect(takesMs).toBe(expected.takesMs);
  if (expected.effects) expect(effects).toMatchObject(expected.effects);
}

describe('a valid file', () => {
  it.each(valid)('$name does what stands beside it', async ({ text, expected }) => {
    expectAsExpected(await execute(await planOf(text), expected), expected);
  });

  it.each(valid)('$name is a file of the DSL with its defaults', ({ text }) => {
    expect(() => validate('Workflow', addDefaults(text))).not.toThrow();
  });
});

describe('an invalid file', () => {
  it.each(invalid)('$name has the faults that stand beside it', async ({ text, faults }) => {
    const compiled = await sandbox.compile(text, context);
    expect(compiled.plan).toBeNull();
    expect(compiled.faults.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual(
      faults,
    );
    expect(compiled.faults.filter(({ message }) => message === '')).toEqual([]);
  });
});
