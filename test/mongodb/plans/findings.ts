import type { Fields } from './shapes.ts';

/** What no plan may do, unless the list of `known-plans.ts` allows it. */
export type Finding = 'collection scan' | 'sort in memory' | 'not explained';

/** Stages that read other collections, or several times: their plans are not part of the explanation. */
const SUB_PIPELINES = ['$lookup', '$graphLookup', '$unionWith', '$facet', '$merge', '$out'];

/** A stage of a plan, as far as this file looks at it. */
interface Stage extends Fields {
  stage: string;
  indexBounds?: Record<string, string[]>;
}

/**
 * Judges the plans that the engine considers for a statement. The best one counts, so that the judgement depends on the
 * indexes and not on how many documents a test happens to have. Returns undefined while the collection is missing.
 */
export function findingOf(
  name: string,
  statement: Fields,
  explained: Fields,
): { finding?: Finding; stages: string } | undefined {
  const planner = plannerOf(explained);
  if (!planner) return { finding: 'not explained', stages: String(explained.errmsg) };
  const { winningPlan, rejectedPlans = [] } = planner;
  const stages = stagesOf(winningPlan);
  if (stages.some(({ stage }) => stage === 'EOF')) return undefined;
  const told = stages.map(tell).join(' < ');
  const candidates = [winningPlan, ...rejectedPlans].map((plan) => findingOfPlan(stagesOf(plan)));
  const best = candidates.includes(undefined)
    ? undefined
    : BY_WORTH.find((one) => candidates.includes(one));
  const finding = name === 'aggregate' ? (best ?? findingOfPipeline(statement, explained)) : best;
  return finding ? { finding, stages: told } : { stages: told };
}

const BY_WORTH = ['sort in memory', 'collection scan'] as const;

interface Planner {
  winningPlan: unknown;
  rejectedPlans?: unknown[];
}

/** The part of an explanation that has the plans; in a pipeline's it is in the first stage. */
function plannerOf(explained: Fields): Planner | undefined {
  const [first] = (explained.stages as { $cursor?: Fields }[] | undefined) ?? [];
  return (explained.queryPlanner ?? first?.$cursor?.queryPlanner) as Planner | undefined;
}

/** Every stage of a plan, from the outermost. */
function stagesOf(plan: unknown): Stage[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const inner = Object.values(plan).flatMap((value) =>
    Array.isArray(value) ? value.flatMap(stagesOf) : stagesOf(value),
  );
  return 'stage' in plan ? [plan as Stage, ...inner] : inner;
}

const tell = ({ stage, indexName }: Stage): string =>
  indexName === undefined ? stage : `${stage}(${indexName})`;

function findingOfPlan(stages: readonly Stage[]): Finding | undefined {
  const isLimited = stages.some(({ stage }) => stage === 'LIMIT');
  const isFiltered = stages.some(({ filter }) => filter !== undefined && !isEmpty(filter));
  const readsAll = stages.some((stage) => stage.stage === 'COLLSCAN' || readsWholeIndex(stage));
  if (readsAll && (isFiltered || !isLimited)) return 'collection scan';
  return stages.some(({ stage }) => stage === 'SORT') ? 'sort in memory' : undefined;
}

const isEmpty = (filter: unknown): boolean => JSON.stringify(filter) === '{}';

const WHOLE = [['[MinKey, MaxKey]'], ['[MaxKey, MinKey]']].map((bounds) => JSON.stringify(bounds));

/** Whether a stage reads an index of every document from end to end. A partial or sparse index is read so on purpose. */
function readsWholeIndex({ stage, indexBounds = {}, isPartial, isSparse }: Stage): boolean {
  if (stage !== 'IXSCAN' || isPartial || isSparse) return false;
  return Object.values(indexBounds).every((bounds) => WHOLE.includes(JSON.stringify(bounds)));
}

/** Looks at the stages that remain behind the first query of a pipeline. */
function findingOfPipeline({ pipeline }: Fields, { stages = [] }: Fields): Finding | undefined {
  const written = (pipeline as Fields[]).flatMap(Object.keys);
  if (written.some((stage) => SUB_PIPELINES.includes(stage))) return 'not explained';
  return (stages as Fields[]).some((stage) => '$sort' in stage) ? 'sort in memory' : undefined;
}
