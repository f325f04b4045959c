/** The examples of `docs/flow-language.md`: each file with the JSON under it, which says what comes of it. */
import { readFileSync } from 'node:fs';
import { validate } from '@serverlessworkflow/sdk';
import { type Execution, readValidFlows } from '../../../../test/flows/corpus.ts';
import { listsIn } from '../../interpreter/names.ts';
import { compile } from '../../language/compile.ts';
import { addDefaults } from '../../language/file-defaults.ts';
import type { Task } from '../../plan.ts';
import { execute } from './execute.ts';
import { expectAsExpected } from './expectation.ts';

const guide = readFileSync(`${__dirname}/../../../../docs/flow-language.md`, 'utf8');

/** A YAML block, and the JSON block that follows it. */
const EXAMPLE =
  /^#+ (?<title>.+)$|^```yaml\n(?<text>[\s\S]*?)^```\n\n```json\n(?<json>[\s\S]*?)^```$/gm;

interface Example {
  title: string;
  text: string;
  expected: Execution;
}

function readExamples(): Example[] {
  const examples: Example[] = [];
  let title = '';
  for (const { groups } of guide.matchAll(EXAMPLE)) {
    title = groups?.title ?? title;
    if (groups?.text === undefined) continue;
    const expected: Execution = JSON.parse(groups.json ?? '');
    examples.push({ title, text: groups.text, expected });
  }
  return examples;
}

const examples = readExamples();

function planOf(text: string) {
  const { plan, faults } = compile(text);
  if (!plan) throw new Error(JSON.stringify(faults));
  return plan;
}

const kindsIn = (tasks: readonly Task[]): string[] =>
  tasks.flatMap((task) => [task.kind, ...listsIn(task).flatMap(kindsIn)]);

describe('an example of the guide', () => {
  it.each(examples)('under "$title" does what stands under it', async ({ text, expected }) => {
    expectAsExpected(await execute(planOf(text), expected), expected);
  });

  it.each(examples)('under "$title" is a file of the DSL', ({ text }) => {
    expect(() => validate('Workflow', addDefaults(text))).not.toThrow();
  });

  it('has an outcome in every case', () => {
    expect(examples).toHaveLength(guide.split('```yaml').length - 1);
  });

  it('exists for every kind of task', () => {
    const kinds = new Set(examples.flatMap(({ text }) => kindsIn(planOf(text).tasks)));
    const known = readValidFlows().flatMap(({ text }) => kindsIn(compile(text).plan?.tasks ?? []));
    expect([...kinds].sort()).toEqual([...new Set(known)].sort());
  });
});
