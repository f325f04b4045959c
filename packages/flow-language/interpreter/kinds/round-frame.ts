import type { ForTask, Json } from '../../plan.ts';
import { type Frame, withVariables } from '../frame.ts';

/** Makes the frame of one round of a loop: its variables and its iteration. */
export function roundFrame(frame: Frame, { each, at }: ForTask, index: number, item: Json): Frame {
  const iteration = frame.iteration === '' ? String(index) : `${frame.iteration}.${index}`;
  return { ...withVariables(frame, { [each]: item, [at]: index }), iteration };
}
