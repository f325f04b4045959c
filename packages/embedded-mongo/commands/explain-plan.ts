import { type Document, isDocument, isOperators, type Literal } from '../bson/values.ts';
import { coverage } from '../storage/coverage.ts';
import { isSingle, type Plan } from '../storage/plan.ts';
import type { Query } from '../storage/query.ts';

/** The query of an explained command, and its work on the found documents. */
export interface Explained extends Query {
  projection?: Document | undefined;
  /** The name of the topmost stage: COUNT, UPDATE or DELETE. */
  top?: string | undefined;
  /** The largest number of documents that the command changes. */
  maxChanges?: number;
}

type Stage = { [name: string]: Literal };

/**
 * Makes the stages of a plan: IDHACK, IXSCAN, FETCH over IXSCAN or COLLSCAN; above them SORT when no index has the order; then
 * SKIP, PROJECTION and LIMIT (which a SORT does itself); and the command's own stage at the top.
 */
export function stagesOf(plan: Plan, question: Explained): Stage {
  const { sort, skip = 0, limit = Number.POSITIVE_INFINITY, projection, top } = question;
  const limited = limit < Number.POSITIVE_INFINITY;
  const sorting = !plan.sorted && sort !== undefined;
  let stage = accessOf(plan, question);
  if (sorting) {
    const limitAmount = limited ? skip + limit : undefined;
    stage = {
      stage: 'SORT',
      sortPattern: sort,
      memLimit: 104_857_600,
      limitAmount,
      type: 'simple',
      inputStage: stage,
    };
  }
  if (skip > 0) stage = { stage: 'SKIP', skipAmount: skip, inputStage: stage };
  if (projection) {
    const simple = coverage(plan, question) ? 'PROJECTION_COVERED' : 'PROJECTION_SIMPLE';
    const name = isSimple(projection) ? simple : 'PROJECTION_DEFAULT';
    stage = { stage: name, transformBy: projection, inputStage: stage };
  }
  if (limited && !sorting) stage = { stage: 'LIMIT', limitAmount: limit, inputStage: stage };
  return top ? { stage: top, inputStage: stage } : stage;
}

function accessOf(plan: Plan, question: Explained): Stage {
  const { filter, skip = 0 } = question;
  const { index } = plan;
  const direction = plan.backward ? 'backward' : 'forward';
  if (!index) return { stage: 'COLLSCAN', filter, direction };
  if (index.isId() && isSingle(plan) && filter.size === 1 && skip === 0) return { stage: 'IDHACK' };
  const keys = {
    stage: 'IXSCAN',
    keyPattern: index.key,
    indexName: index.name,
    isMultiKey: index.multikey.size > 0,
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partialFilter !== undefined,
    direction,
  };
  return coverage(plan, question)
    ? { ...keys, filter }
    : { stage: 'FETCH', filter, inputStage: keys };
}

/** Tells whether a projection only includes or excludes top-level fields. */
const isSimple = (projection: Document): boolean =>
  [...projection].every(
    ([name, value]) =>
      !name.includes('.') && !isDocument(value) && !isOperators(value) && typeof value !== 'string',
  );
