import type { Variables } from '../aggregation/variables.ts';
import type { Document, Value } from '../bson/values.ts';
import { compileFilter } from '../query/match.ts';
import type { Collection } from './catalog.ts';
import { planQuery } from './planner.ts';
import { type RowSource, Scan } from './scan.ts';
import { Limited, NOTHING, Sorted } from './sources.ts';
import type { OperationContext } from './store.ts';

export interface Query {
  filter: Document;
  variables?: Variables;
  sort?: Document | undefined;
  hint?: Value | undefined;
  skip?: number;
  limit?: number;
}

/** The documents that a query finds, in its order. */
export function rowsOf(
  context: OperationContext,
  collection: Collection | undefined,
  { filter, variables, sort, hint, skip = 0, limit = Number.POSITIVE_INFINITY }: Query,
): RowSource {
  const matches = compileFilter(filter, variables);
  if (!collection) return NOTHING;
  const plan = planQuery(collection, { filter, sort, hint });
  const scan = new Scan(context.connection, collection, plan, matches);
  const ordered = plan.sorted || !sort ? scan : new Sorted(scan, sort, skip + limit);
  return skip > 0 || limit < Number.POSITIVE_INFINITY ? new Limited(ordered, skip, limit) : ordered;
}
