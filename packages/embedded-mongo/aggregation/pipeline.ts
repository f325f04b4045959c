import type { Value } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import { stageOf } from './run.ts';
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
  /^\$(bucketAuto|changeStreamSplitLargeEvent|currentOp|densify|fill|geoNear|graphLookup|indexStats|listLocalSessions|listSampledQueries|listSearchIndexes|listSessions|planCacheStats|redact|search|searchMeta|setWindowFields|shardedDataDistribution|vectorSearch)$/;

export function refuseLeftOut(name: string): void {
  if (name === '$changeStream')
    fail(
      40573,
      'The $changeStream stage is only supported on replica sets; the embedded database engine has none',
    );
  if (LEFT_OUT.test(name)) unsupported(`The aggregation stage ${name}`);
}

export function compileStages(pipeline: readonly Value[], context: StageContext): Stage[] {
  return pipeline.map((stage) => {
    const [name, argument] = stageOf(stage);
    if (name === '$out' || name === '$merge')
      fail(40601, `${name} can only be the final stage in the pipeline`);
    if (name === '$collStats' || name === '$documents')
      unsupported(`${name} anywhere but at the start of an aggregation`, 40602);
    refuseLeftOut(name);
    const make = STAGES.get(name);
    if (!make) return fail(40324, `Unrecognized pipeline stage name: '${name}'`);
    return make(argument, context);
  });
}
