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

/** The most documents that a stage gets at a time. */
const MAX_SLICE = 64;
/** Milliseconds that a stage may take over the documents that it gets at a time. Then it gets half as many. */
const LONG_MS = 2;

/** Sends documents through the stages from `first` on and returns their output. Others have their turns in between. */
export async function feed(
  stages: readonly Stage[],
  documents: Document[],
  context: StageContext,
  first = 0,
): Promise<Document[]> {
  const stage = stages[first];
  if (!stage || documents.length === 0) return documents;
  const out: Document[] = [];
  for (let at = 0; at < documents.length && !isFull(stages, first); ) {
    const slice = documents.slice(at, at + (stage.slice ?? 1));
    at += slice.length;
    const pushed = await feed(stages, await push(stage, slice, context), context, first + 1);
    if (slice.length === documents.length) return pushed;
    for (const document of pushed) out.push(document);
  }
  return out;
}

async function push(stage: Stage, slice: Document[], context: StageContext): Promise<Document[]> {
  const started = performance.now();
  const output = stage.push(slice);
  const { length } = slice;
  if (performance.now() - started > LONG_MS) stage.slice = Math.max(1, length >> 1);
  else stage.slice = Math.min(MAX_SLICE, Math.max(stage.slice ?? 1, length * 2));
  const ready = await output;
  await context.rest();
  return ready;
}

/** Ends the stages and returns the documents that they still hold after the last input, in portions. */
export async function* drain(
  stages: readonly Stage[],
  context: StageContext,
): AsyncGenerator<Document[]> {
  for (const [i, stage] of stages.entries()) {
    for await (const held of stage.finish()) {
      yield await feed(stages, held, context, i + 1);
      if (isFull(stages, i + 1)) break;
      await context.rest();
    }
  }
}

/** Tells whether a stage from `first` on needs no more input. */
export const isFull = (stages: readonly Stage[], first = 0): boolean =>
  stages.some(({ full }, i) => i >= first && full === true);

/** Runs a whole pipeline over documents and returns the results, both in portions. */
export async function* runStages(
  documents: Iterable<Document[]> | AsyncIterable<Document[]>,
  pipeline: readonly Value[],
  context: StageContext,
): AsyncGenerator<Document[]> {
  const stages = context.compile(pipeline, context);
  for await (const portion of documents) {
    yield await feed(stages, portion, context);
    if (isFull(stages)) break;
  }
  yield* drain(stages, context);
}

/** Returns the documents of all portions. */
export async function collect(portions: AsyncIterable<Document[]>): Promise<Document[]> {
  const all: Document[] = [];
  for await (const portion of portions) for (const document of portion) all.push(document);
  return all;
}
