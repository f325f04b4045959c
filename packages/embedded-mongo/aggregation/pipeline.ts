import { type Document, isDocument, type Value } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import type { Stage, StageContext, StageMaker } from './stage.ts';
import { BUCKET_STAGES } from './stages/bucket.ts';
import { GROUP_STAGES } from './stages/group.ts';
import { JOIN_STAGES } from './stages/join.ts';
import { SHAPE_STAGES } from './stages/shape.ts';
import { STREAM_STAGES } from './stages/stream.ts';

const STAGES: ReadonlyMap<string, StageMaker> = new Map([
  ...STREAM_STAGES,
  ...SHAPE_STAGES,
  ...GROUP_STAGES,
  ...BUCKET_STAGES,
  ...JOIN_STAGES,
]);

export const STAGE_NAMES: readonly string[] = [...STAGES.keys()];

const LEFT_OUT =
  /^\$(bucketAuto|currentOp|densify|fill|geoNear|graphLookup|indexStats|listLocalSessions|listSampledQueries|listSearchIndexes|listSessions|planCacheStats|redact|search|searchMeta|setWindowFields|shardedDataDistribution|vectorSearch)$/;

export function refuseLeftOut(name: string): void {
  if (LEFT_OUT.test(name)) unsupported(`The aggregation stage ${name}`);
}

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

export function compileStages(pipeline: readonly Value[], context: StageContext): Stage[] {
  return pipeline.map((stage) => {
    const [name, argument] = stageOf(stage);
    if (name === '$changeStream') {
      fail(
        40573,
        'The $changeStream stage is only supported on replica sets; the embedded database engine has none',
      );
    }
    if (name === '$out' || name === '$merge')
      fail(40601, `${name} can only be the final stage in the pipeline`);
    refuseLeftOut(name);
    const make = STAGES.get(name);
    if (!make) return fail(40324, `Unrecognized pipeline stage name: '${name}'`);
    return make(argument, context);
  });
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
  const stages = compileStages(pipeline, context);
  const out = feed(stages, documents);
  for (const document of drain(stages)) out.push(document);
  return out;
}
