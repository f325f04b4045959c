import type { ForTask, Json } from '../../plan.ts';
import { compositeOf, type Execution, markStablePoint, type Result } from '../execution.ts';
import type { Value } from '../host.ts';
import { executeList } from '../list.ts';
import { namesWithin } from '../names.ts';
import { beginList, type ForState } from '../state.ts';
import { doParallelFor } from './parallel-for.ts';
import { roundFrame } from './round-frame.ts';

/** Executes a loop. The input of a round is the output of the round before; `while` sees the steps of that round. */
export async function doFor(execution: Execution<ForTask>): Promise<Result> {
  const { branch, task, input, state } = execution;
  const known = state.composite;
  const items = known && 'items' in known ? known.items : await itemsOf(execution);
  branch.run.held.hold(items);
  try {
    if (task.parallel !== undefined) return await doParallelFor(execution, items);
    const begin = () => ({ input, items, index: 0, output: input, list: null });
    return await doRounds(execution, compositeOf(execution, 'for', begin));
  } finally {
    branch.run.held.release(items);
  }
}

async function itemsOf({ task, input, frame, evaluation }: Execution<ForTask>): Promise<Json[]> {
  const template = { kind: 'expression' as const, expression: task.in };
  return listOf(await evaluation.value(template, input, frame));
}

async function doRounds(execution: Execution<ForTask>, loop: ForState): Promise<Result> {
  const { branch, task, frame, evaluation } = execution;
  for (;;) {
    const item = loop.items[loop.index];
    if (item === undefined) return { output: loop.output };
    const round = roundFrame(frame, task, loop.index, item);
    if (!loop.list) {
      if (task.while && !(await evaluation.truth(task.while, loop.output, round))) {
        return { output: loop.output };
      }
      branch.usage.countRound();
      for (const name of namesWithin(task.tasks)) branch.setStep(name, undefined);
      loop.list = beginList(loop.output);
      markStablePoint(execution);
    }
    const { output, ended } = await executeList(branch, task.tasks, loop.list, round);
    if (ended) return { output, ended };
    loop.output = output;
    loop.index += 1;
    loop.list = null;
  }
}

function listOf(value: Value): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
