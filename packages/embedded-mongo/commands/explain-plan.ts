import { type Document, isDocument, isOperators, type Literal } from '../bson/values.ts';
import { isSingle, type Plan } from '../storage/planner.ts';
import type { Query } from '../storage/query.ts';

/** What an explained command asks, and what it does to the documents that are found. */
export interface Explained extends Query {
  projection?: Document | undefined;
  /** COUNT, UPDATE or DELETE: above all other stages. */
  top?: string | undefined;
  /** Documents that the command changes at most. */
  maxChanges?: number;
}

type Stage = { [name: string]: Literal };

/**
 * IDHACK, FETCH over IXSCAN or COLLSCAN; SORT over them where no index gives the order; SKIP,
 * PROJECTION and LIMIT, which a SORT does on the way; what is done to the documents above them all.
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
    const name = isSimple(projection) ? 'PROJECTION_SIMPLE' : 'PROJECTION_DEFAULT';
    stage = { stage: name, transformBy: projection, inputStage: stage };
  }
  if (limited && !sorting) stage = { stage: 'LIMIT', limitAmount: limit, inputStage: stage };
  return top ? { stage: top, inputStage: stage } : stage;
}

function accessOf(plan: Plan, { filter, skip = 0 }: Explained): Stage {
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
  return { stage: 'FETCH', filter, inputStage: keys };
}

/** Fields at the top, shown or left out. */
const isSimple = (projection: Document): boolean =>
  [...projection].every(
    ([name, value]) =>
      !name.includes('.') && !isDocument(value) && !isOperators(value) && typeof value !== 'string',
  );
