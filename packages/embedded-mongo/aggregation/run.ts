import { type Document, isDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import type { Stage, StageContext } from './stage.ts';

/** Returns the name and the argument of a stage. */
export function stageOf(stage: Value): [string, Value] {
  if (!isDocument(stage))
    return fail('TypeMismatch', "Each element of the 'pipeline' array must be an object");
  if (stage.size !== 1) {
    fail(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const [entry] = stage;
  return (
    entry ?? fail(40323, 'A pipeline stage specification object must contain exactly one field.')
  );
}

/** Sends documents through the stages and returns their output. */
export function feed(stages: readonly Stage[], documents: Document[]): Document[] {
  return stages.reduce((given, stage) => (given.length > 0 ? stage.push(given) : given), documents);
}

/** Ends the stages and returns the documents that they still hold after the last input. */
export function drain(stages: readonly Stage[]): Document[] {
  const out: Document[] = [];
  for (const [i, stage] of stages.entries()) {
    for (const document of feed(stages.slice(i + 1), stage.finish())) out.push(document);
  }
  return out;
}

export const isFull = (stages: readonly Stage[]): boolean =>
  stages.some(({ full }) => full === true);

/** Runs a whole pipeline over a list of documents. */
export function runStages(
  documents: Document[],
  pipeline: readonly Value[],
  context: StageContext,
): Document[] {
  const stages = context.compile(pipeline, context);
  const out = feed(stages, documents);
  for (const document of drain(stages)) out.push(document);
  return out;
}
