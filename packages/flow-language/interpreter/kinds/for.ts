import type { ForTask, Json } from '../../plan.ts';
import type { Execution, Result } from '../execution.ts';
import { type Frame, withVariables } from '../frame.ts';
import type { Value } from '../host.ts';
import { executeList } from '../list.ts';
import { namesWithin } from '../names.ts';

/** Executes a loop. The input of a round is the output of the round before; `while` sees the steps of that round. */
export async function doFor(execution: Execution<ForTask>): Promise<Result> {
  const { run, task, input, frame, evaluation } = execution;
  const template = { kind: 'expression' as const, expression: task.in };
  const items = listOf(await evaluation.value(template, input, frame));
  run.held.hold(items);
  try {
    return await doRounds(execution, items);
  } finally {
    run.held.release(items);
  }
}

async function doRounds(
  { run, task, input, frame, evaluation }: Execution<ForTask>,
  items: Json[],
): Promise<Result> {
  let output = input;
  for (const [index, item] of items.entries()) {
    const round = roundFrame(frame, task, index, item);
    if (task.while && !(await evaluation.truth(task.while, output, round))) break;
    run.usage.countRound();
    for (const name of namesWithin(task.tasks)) run.setStep(name, undefined);
    const result = await executeList(run, task.tasks, output, round);
    output = result.output;
    if (result.ended) return { output, ended: true };
  }
  return { output };
}

function listOf(value: Value): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function roundFrame(frame: Frame, { each, at }: ForTask, index: number, item: Json): Frame {
  const iteration = frame.iteration === '' ? String(index) : `${frame.iteration}.${index}`;
  return { ...withVariables(frame, { [each]: item, [at]: index }), iteration };
}
