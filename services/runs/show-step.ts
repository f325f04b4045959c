import type { StepRecord } from '../../models/journal-entry.ts';
import type { RunError, Step, StepSummary } from './contract/resources.ts';
import { prefixOf } from './engine/execution/journal/step-records.ts';

/** Bytes of each value in a list; a longer value is truncated. */
const LISTED_BYTES = 4 * 1024;
/**
 * Bytes of a step with its whole values as JSON, well below the 900 KiB of a message between services. The input of a
 * longer step is truncated further: an output and the rest of a step take less than 700 KiB.
 */
const MAX_STEP_BYTES = 800 * 1024;

/** A step without its values. */
export interface DescribedStep {
  n: number;
  step: Omit<ShownStep['step'], 'input' | 'inputCut' | 'output' | 'outputCut' | 'transcript'>;
}

/** A step with its id: a recorded one, or one that is open. */
export interface ShownStep {
  n: number;
  step: Omit<StepRecord, 'status' | 'completedAt'> & {
    status: Step['status'];
    completedAt: Date | null;
  };
}

/** Shows a step with its whole output, and with as much of its input as is kept and fits. */
export function showStep(shown: ShownStep): Step {
  const { input: keptInput, inputCut, output: keptOutput, outputCut, transcript } = shown.step;
  const description = {
    ...showDescription(shown),
    ...(transcript === undefined ? {} : { transcript: JSON.parse(transcript) }),
  };
  const output = outputCut ? keptOutput : parseValue(keptOutput);
  const room = MAX_STEP_BYTES - jsonBytes({ ...description, output });
  const [input, isTruncated] = fitValue(keptInput, inputCut, room);
  return {
    ...description,
    input,
    output,
    ...(isTruncated ? { inputTruncated: true } : {}),
    ...(outputCut ? { outputTruncated: true } : {}),
  };
}

/** Returns a value whose JSON has at most `bytes`, or the beginning of its JSON as text, and whether it was cut. */
function fitValue(json: string | null, cut: boolean | undefined, bytes: number) {
  if (json === null || (!cut && Buffer.byteLength(json) <= bytes))
    return [parseValue(json), false] as const;
  let beginning = json;
  // Each byte of the text takes one or two bytes of JSON, so that half of the excess is never too much to drop.
  for (let excess = jsonBytes(json) - bytes; excess > 0; excess = jsonBytes(beginning) - bytes) {
    const fewer = Buffer.byteLength(beginning) - Math.ceil(excess / 2);
    beginning = prefixOf(beginning, fewer) ?? '';
  }
  return [beginning, true] as const;
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

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
