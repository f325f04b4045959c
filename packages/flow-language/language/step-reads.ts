import type { Context } from './context.ts';
import { quote } from './faults.ts';
import { didYouMean } from './nearest-name.ts';

/** Checks that each read step exists. It runs after the whole file is read, since an expression may name a later task. */
export function checkStepReads(context: Context): void {
  const { stepReads, bareStepReads, taskNames, faults } = context;
  for (const { name, offset } of bareStepReads) {
    if (!taskNames.has(name)) continue;
    const message = `"steps" is a member of the input here: write $steps.${name} for the output of the task.`;
    context.warn(offset(), offset() + 1, 'EXPRESSION_DOUBTFUL', message);
  }
  for (const { name, offset } of stepReads) {
    if (taskNames.has(name)) continue;
    const message = () =>
      `$steps has no ${quote(name)}: ${hintFor(name, taskNames)}no task of this file has that name.`;
    faults.add(offset(), 'UNKNOWN_STEP', message);
  }
}

function hintFor(name: string, taskNames: ReadonlySet<string>): string {
  // JSONata reads `$steps.fetch-orders` as a subtraction.
  for (const task of taskNames) {
    if (task.startsWith(`${name}-`)) return `a name with "-" needs backticks, $steps.\`${task}\`; `;
  }
  return didYouMean(name, taskNames);
}
