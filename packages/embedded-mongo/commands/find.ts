import { compileExpression } from '../aggregation/expression.ts';
import { readsOfProjection } from '../aggregation/reads.ts';
import { letVariables, type Variables } from '../aggregation/variables.ts';
import { compareValues } from '../bson/compare.ts';
import { encodeDocument } from '../bson/encode.ts';
import { isNumeric, toDouble } from '../bson/numbers.ts';
import { pathOf, visitPath } from '../bson/path.ts';
import { ValueSet } from '../bson/value-set.ts';
import { toDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileFilter, filterOf } from '../query/match.ts';
import { compileProjection, type Projection } from '../query/projection.ts';
import { sortOf } from '../query/sort.ts';
import { SortedRuns } from '../query/sorted-runs.ts';
import { type DocumentSource, FIRST_BATCH } from '../sessions/cursors.ts';
import type { Collection, Index } from '../storage/catalog.ts';
import { planQuery } from '../storage/planner.ts';
import { type Query, rowsOf } from '../storage/query.ts';
import { countExactly, PORTION_MS, type Row, type RowSource } from '../storage/scan.ts';
import { MAX_DOCUMENT_BYTES } from './insert.ts';
import type { Commands, Reply, Request } from './request.ts';

/** Makes a source of encoded documents from rows: as they are stored, or projected. */
export function shown(source: RowSource, projection: Projection | undefined): DocumentSource {
  if (projection) return projected(source, projection);
  return {
    get done() {
      return source.done;
    },
    pull: (limit) => source.pull(limit).map((row) => row.bytes),
  };
}

function projected(source: RowSource, projection: Projection): DocumentSource {
  /** The rows that were read and not projected yet, the next one last. */
  let rows: Row[] = [];
  return {
    get done() {
      return source.done && rows.length === 0;
    },
    pull(limit) {
      if (rows.length === 0) rows = source.pull(limit).reverse();
      const documents: Buffer[] = [];
      const end = performance.now() + PORTION_MS;
      do {
        const row = rows.pop();
        if (!row) break;
        documents.push(encodeDocument(projection(row.document)));
      } while (documents.length < limit && performance.now() < end);
      return documents;
    },
  };
}

export const variablesIn = (request: Request): Variables =>
  letVariables(request.get('let'), compileExpression);

/** Returns the query of a find. */
export function queryOf(request: Request): Query & { projection: Value | undefined } {
  const projection = request.get('projection');
  const variables = variablesIn(request);
  const filter = filterOf(request.get('filter'));
  return {
    filter,
    variables,
    sort: sortOf(request.get('sort')),
    hint: request.get('hint'),
    skip: request.count('skip') ?? 0,
    limit: request.count('limit') || Number.POSITIVE_INFINITY,
    projection,
    reads: readsOfProjection(projection),
  };
}

function find(request: Request): Promise<Reply> {
  const { namespace } = request;
  const { projection: shape, ...query } = queryOf(request);
  const { variables = variablesIn(request), filter } = query;
  const projection = compileProjection(shape, { variables, filter });
  const source = rowsOf(request.context, request.collection, query);
  const batchSize = request.count('batchSize') ?? FIRST_BATCH;
  return request.engine.cursors.first(
    request,
    shown(source, projection),
    batchSize,
    namespace,
    request.flag('singleBatch'),
  );
}

/** Returns the limit of a count without sign and fraction; infinite when there is no limit. */
export function countLimit(request: Request): number {
  const given = request.get('limit');
  return (isNumeric(given) ? Math.trunc(Math.abs(toDouble(given))) : 0) || Number.POSITIVE_INFINITY;
}

async function count(request: Request): Promise<Reply> {
  const skip = request.count('skip') ?? 0;
  const n = await countMatching(request, skip + countLimit(request));
  return toDocument({ n: Math.max(0, n - skip) });
}

/** Counts up to `limit`: from the index alone when the plan is exact. */
async function countMatching(request: Request, limit: number): Promise<number> {
  const { collection, context } = request;
  const filter = filterOf(request.get('query'), 'count.query');
  if (!collection) compileFilter(filter);
  if (!collection) return 0;
  const hint = request.get('hint');
  const plan = planQuery(context.connection, collection, { filter, sort: undefined, hint });
  const known = countExactly(context.connection, collection, plan, limit);
  if (known !== undefined) return known;
  const source = rowsOf(context, collection, { filter, hint, limit });
  let n = 0;
  for (;;) {
    n += source.pull(1000).length;
    if (source.done) return n;
    await request.rest();
  }
}

/** Bytes of a document without fields. */
const EMPTY_BYTES = 5;
/** Values of a distinct that are put in order before others have their turns. */
const SORTED = 1000;

async function distinct(request: Request): Promise<Reply> {
  const key = String(request.get('key'));
  const path = pathOf(key);
  const seen = new ValueSet();
  const values = new SortedRuns(compareValues);
  let bytes = 0;
  const add = (value: Value): void => {
    if (!seen.add(value)) return;
    values.add(value);
    bytes += encodeDocument(new Map([[String(values.size), value]])).length - EMPTY_BYTES;
    if (bytes > MAX_DOCUMENT_BYTES) fail(17217, 'distinct too big, 16mb cap');
  };
  const filter = filterOf(request.get('query'), 'distinct.query');
  const reads = { paths: new Set([key]), filters: [] };
  const source = rowsOf(request.context, request.collection, { filter, reads });
  const index = filter.size === 0 ? indexOfAll(request.collection, key) : undefined;
  for (;;) {
    for (const row of source.pull(1000)) {
      if (index) for (const { values } of index.entries(row.document)) add(values[0] ?? null);
      else
        visitPath(row.document, path, (value) => {
          if (Array.isArray(value)) value.forEach(add);
          else if (value !== undefined) add(value);
          return false;
        });
    }
    if (source.done) break;
    await request.rest();
  }
  const sorted: Value[] = [];
  for (;;) {
    for (const value of values.takeSome(SORTED)) sorted.push(value);
    if (values.size === 0) break;
    await request.rest();
  }
  return new Map<string, Value>([['values', sorted]]);
}

/** The index from which MongoDB answers a distinct of all documents: the first that begins with the path. */
const indexOfAll = (collection: Collection | undefined, path: string): Index | undefined =>
  collection?.indexes.find(
    ({ generator, sparse, partialFilter }) =>
      generator.names[0] === path && !sparse && !partialFilter,
  );

export const READ_COMMANDS: Commands = {
  find: { inTransaction: true, run: find },
  count: { run: count },
  distinct: { inTransaction: true, run: distinct },
};
