import type { StepRecord } from '../../models/journal-entry.ts';
import type { RunError, Step, StepSummary } from './contract/resources.ts';
import { prefixOf } from './engine/execution/step-records.ts';

/** Bytes of each value in a list; a longer value is truncated. */
const LISTED_BYTES = 4 * 1024;

/** A step without its values. */
export interface DescribedStep {
  n: number;
  step: Omit<ShownStep['step'], 'input' | 'inputCut' | 'output' | 'outputCut'>;
}

/** A step with its id: a recorded one, or one that is open. */
export interface ShownStep {
  n: number;
  step: Omit<StepRecord, 'status' | 'completedAt'> & {
    status: Step['status'];
    completedAt: Date | null;
  };
}

/** Shows a step with its whole values. */
export function showStep(shown: ShownStep): Step {
  const { inputCut, outputCut } = shown.step;
  return {
    ...showDescription(shown),
    input: inputCut ? shown.step.input : parseValue(shown.step.input),
    output: outputCut ? shown.step.output : parseValue(shown.step.output),
    ...(inputCut ? { inputTruncated: true } : {}),
    ...(outputCut ? { outputTruncated: true } : {}),
  };
}

/** Shows a step as lists do, with at most the beginnings of its values. */
export function summarizeStep(shown: ShownStep): StepSummary {
  const [input, inputCut] = shortenValue(shown.step.input, shown.step.inputCut);
  const [output, outputCut] = shortenValue(shown.step.output, shown.step.outputCut);
  const truncated = inputCut || outputCut ? { truncated: true as const } : {};
  return { ...showDescription(shown), input, output, ...truncated };
}

/** Shows a step without its values. */
export const showDescription = ({ n, step }: DescribedStep) => ({
  id: n,
  path: step.path,
  name: step.name,
  iteration: step.iteration,
  visit: step.visit,
  attempt: step.attempt,
  status: step.status,
  error: step.error === null ? null : (JSON.parse(step.error) as RunError),
  startedAt: step.startedAt.toISOString(),
  completedAt: step.completedAt?.toISOString() ?? null,
  request: step.request ?? null,
  response: step.response ?? null,
});

/** The fewest bytes that a step takes in a list: a value that is cut may be some bytes shorter than its bound. */
export const minBytesOf = ({ step }: ShownStep): number =>
  Math.min(step.input?.length ?? 0, LISTED_BYTES - 4) +
  Math.min(step.output?.length ?? 0, LISTED_BYTES - 4) +
  (step.error?.length ?? 0);

/** Returns a value, or the first bytes of its JSON as text, and whether the value was cut. */
function shortenValue(json: string | null, cut: boolean | undefined): [unknown, boolean] {
  const beginning = json === null ? null : prefixOf(json, LISTED_BYTES);
  if (beginning !== null) return [beginning, true];
  return cut ? [json, true] : [parseValue(json), false];
}

const parseValue = (json: string | null): unknown => (json === null ? null : JSON.parse(json));
