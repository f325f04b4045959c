import type { Reads } from '../aggregation/stage.ts';
import type { Variables } from '../aggregation/variables.ts';
import type { Document, Value } from '../bson/values.ts';
import { compileFilter } from '../query/match.ts';
import type { Collection } from './catalog.ts';
import type { OperationContext } from './context.ts';
import { coverage } from './coverage.ts';
import type { Plan } from './plan.ts';
import { planQuery } from './planner.ts';
import { type RowSource, Scan } from './scan.ts';
import { Limited, NOTHING, Sorted, shownBy } from './sources.ts';

export interface Query {
  filter: Document;
  variables?: Variables;
  sort?: Document | undefined;
  hint?: Value | undefined;
  skip?: number;
  limit?: number;
  /** What the command reads of the found documents; whole documents unless given. */
  reads?: Reads | undefined;
}

/** A running query: its rows, its plan and its scan. */
interface Search {
  rows: RowSource;
  plan: Plan;
  scan: Scan;
  /** Whether MongoDB answers the query from its index alone. */
  isCovered: boolean;
}

export function searchOf(
  context: OperationContext,
  collection: Collection,
  { filter, variables, sort, hint, skip = 0, limit = Number.POSITIVE_INFINITY, reads }: Query,
): Search {
  const matches = compileFilter(filter, variables);
  const plan = planQuery(context.connection, collection, { filter, sort, hint });
  const scan = new Scan(context.connection, collection, plan, matches);
  const ordered = plan.sorted || !sort ? scan : new Sorted(scan, sort, skip + limit, context.heap);
  const rows =
    skip > 0 || limit < Number.POSITIVE_INFINITY ? new Limited(ordered, skip, limit) : ordered;
  const view = coverage(plan, { filter, sort, reads });
  return { rows: view ? shownBy(view, rows) : rows, plan, scan, isCovered: view !== undefined };
}

/** Returns the documents that a query finds, in the query's order. */
export function rowsOf(
  context: OperationContext,
  collection: Collection | undefined,
  query: Query,
): RowSource {
  if (collection) return searchOf(context, collection, query).rows;
  compileFilter(query.filter, query.variables);
  return NOTHING;
}
