import type { Json, Template } from '../../plan.ts';
import type { Execution } from '../execution.ts';

/** Evaluates fields of a task in one round trip to the sandbox. An absent field and an undefined value are left out. */
export async function evaluateFields(
  { input, frame, evaluation }: Execution,
  fields: Readonly<Record<string, Template | undefined>>,
): Promise<Record<string, Json>> {
  const entries = Object.entries(fields).filter(
    (entry): entry is [string, Template] => entry[1] !== undefined,
  );
  return (await evaluation.value({ kind: 'map', entries }, input, frame)) as Record<string, Json>;
}
