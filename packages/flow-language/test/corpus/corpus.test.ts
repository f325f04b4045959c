/** All files of `test/flows` through the sandbox, and the valid files through the interpreter as well. */
import { validate } from '@serverlessworkflow/sdk';
import { readInvalidFlows, readValidFlows } from '../../../../test/flows/corpus.ts';
import { addDefaults } from '../../language/file-defaults.ts';
import type { Plan } from '../../plan.ts';
import { context, execute, sandbox } from './execute.ts';
import { expectAsExpected } from './expectation.ts';

const valid = readValidFlows();
const invalid = readInvalidFlows();

async function planOf(text: string): Promise<Plan> {
  const { plan, faults } = await sandbox.compile(text, context);
  if (!plan) throw new Error(JSON.stringify(faults));
  return plan;
}

describe('a valid file', () => {
  it.each(valid)('$name does what stands after it', async ({ text, expected }) => {
    expectAsExpected(await execute(await planOf(text), expected), expected);
  });

  it.each(valid)('$name is a file of the DSL with its defaults', ({ text }) => {
    expect(() => validate('Workflow', addDefaults(text))).not.toThrow();
  });
});

describe('an invalid file', () => {
  it.each(invalid)('$name has the faults that stand after it', async ({ text, faults }) => {
    const compiled = await sandbox.compile(text, context);
    expect(compiled.plan).toBeNull();
    expect(compiled.faults.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual(
      faults,
    );
    expect(compiled.faults.filter(({ message }) => message === '')).toEqual([]);
  });
});
