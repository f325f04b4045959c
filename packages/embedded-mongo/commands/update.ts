import type { Variables } from '../aggregation/variables.ts';
import { truthy } from '../aggregation/variables.ts';
import { integerOf } from '../bson/numbers.ts';
import { type Document, fromNumber, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileFilter, filterOf } from '../query/match.ts';
import { compileSortKey } from '../query/sort.ts';
import type { Collection } from '../storage/catalog.ts';
import { toBuffer } from '../storage/connection.ts';
import type { OperationContext } from '../storage/context.ts';
import { removeDocument } from '../storage/documents.ts';
import { type Query, rowsOf } from '../storage/query.ts';
import { Row } from '../storage/scan.ts';
import { refuseExpressions } from '../update/pull.ts';
import { changeRow, compileChange, upsert } from './change.ts';
import { checkFields } from './fields/fields.ts';
import { DELETE_STATEMENT, UPDATE_STATEMENT } from './fields/statement-fields.ts';
import { variablesIn } from './find.ts';
import { checkBatch, collectionFor, unitOf } from './insert.ts';
import type { Commands, Reply, Request } from './request.ts';
import { type Counts, runStatements, writeResult } from './statements.ts';
import type { WriteUnit } from './write-unit.ts';

/** Documents of the first page that a command changes. Each next page of a portion is twice as large. */
const FIRST_PAGE = 4;
/** Documents of the largest page that a command changes before it looks at the clock. */
const LARGEST_PAGE = 64;

/**
 * Calls `change` for each document that a query finds, or only for the first. `change` is called in the unit in which
 * the document was read. Other commands may write between two units.
 */
export async function eachMatch(
  request: Request,
  unit: WriteUnit,
  collection: Collection,
  query: Query,
  many: boolean,
  change: (row: Row) => void,
): Promise<void> {
  if (!many) return firstMatch(request, unit, collection, query, change);
  const source = rowsOf(request.context, collection, query);
  // The scan meets a document again whose key was moved along the index. Such a document is not changed twice.
  const seen = new Set<number>();
  let page = FIRST_PAGE;
  for (;;) {
    const rows = source.pull(page);
    for (const row of rows) {
      if (seen.has(row.rid)) continue;
      seen.add(row.rid);
      change(row);
    }
    if (source.done) return;
    page = Math.min(page * 2, LARGEST_PAGE);
    if (rows.length > 0 && !unit.isDue) continue;
    await unit.pause();
    page = FIRST_PAGE;
  }
}

/**
 * Returns the collection whose documents a query changes, and makes it for an upsert. An invalid query is refused also
 * where nothing is searched, before a collection is made.
 */
export function searchedCollection(
  request: Request,
  namespace: string,
  { filter, variables }: Query,
  isUpsert = false,
): Collection | undefined {
  const known = request.engine.store.collection(request.context, namespace);
  if (known) return known;
  compileFilter(filter, variables);
  return isUpsert ? collectionFor(request, namespace) : undefined;
}

/** Documents that a search with a sort reads, in case others change the first ones. When all have changed, it searches again. */
const CANDIDATES = 32;

async function firstMatch(
  { context }: Request,
  unit: WriteUnit,
  collection: Collection,
  query: Query,
  change: (row: Row) => void,
): Promise<void> {
  for (;;) {
    const source = rowsOf(context, collection, { ...query, limit: query.sort ? CANDIDATES : 1 });
    let missed = false;
    for (;;) {
      const [row] = source.pull(1);
      const now = row && rereadRow(context, collection, query, row);
      if (now) return change(now);
      missed ||= row !== undefined;
      if (source.done) break;
      if (!row) await unit.pause();
    }
    if (!missed) return;
    await unit.pause();
  }
}

/** Reads a document again. Returns undefined when it no longer matches or has another place in the sort. */
function rereadRow(
  { connection }: OperationContext,
  collection: Collection,
  { filter, sort, variables }: Query,
  row: Row,
): Row | undefined {
  if (!sort) return row;
  const found = connection.get(collection.sql.get, row.rid);
  if (!found) return undefined;
  const now = new Row(row.rid, toBuffer(found[0]));
  if (now.bytes.equals(row.bytes)) return now;
  const key = compileSortKey(sort);
  const same = key(now.document) === key(row.document);
  return same && compileFilter(filter, variables)(now.document) ? now : undefined;
}

async function update(request: Request, unit: WriteUnit): Promise<Reply> {
  const { namespace } = request;
  const statements = request.documents('updates');
  checkBatch(statements.length);
  for (const statement of statements) checkFields(UPDATE_STATEMENT, statement);
  const variables = variablesIn(request);
  const counts = await runStatements(request, unit, statements, (statement, index, counts) =>
    updateOne(request, unit, namespace, statement, variables, counts, index),
  );
  const { n, nModified, upserted, errors } = counts;
  return writeResult(
    { n, nModified, upserted: upserted.length > 0 ? upserted : undefined },
    errors,
  );
}

async function updateOne(
  request: Request,
  unit: WriteUnit,
  namespace: string,
  statement: Document,
  variables: Variables,
  counts: Counts,
  index: number,
): Promise<void> {
  const query = filterOf(statement.get('q'), 'update.updates.q');
  const many = truthy(statement.get('multi'));
  const change = compileChange({
    update: statement.get('u'),
    query,
    arrayFilters: statement.get('arrayFilters') ?? undefined,
    variables,
    constants: statement.get('c') ?? undefined,
  });
  if (many) notRetryable(request, 'multi=true');
  if (many && change.kind === 'replacement') {
    fail('FailedToParse', 'multi update is not supported for replacement-style update');
  }
  const wantsInsert = truthy(statement.get('upsert'));
  if (wantsInsert) refuseExpressions(query);
  const search = { filter: query, variables, hint: statement.get('hint') };
  const collection = searchedCollection(request, namespace, search, wantsInsert);
  const before = counts.n;
  if (collection) {
    await eachMatch(request, unit, collection, search, many, (row) => {
      if (changeRow(request.context, collection, row, change)) counts.nModified++;
      counts.n++;
    });
  }
  if (counts.n > before || !wantsInsert || !collection) return;
  const { id } = upsert(request.context, collection, query, change);
  counts.upserted.push(
    new Map<string, Value>([
      ['index', fromNumber(index)],
      ['_id', id],
    ]),
  );
  counts.n++;
}

async function remove(request: Request, unit: WriteUnit): Promise<Reply> {
  const { namespace } = request;
  const statements = request.documents('deletes');
  checkBatch(statements.length);
  for (const statement of statements) checkFields(DELETE_STATEMENT, statement);
  const variables = variablesIn(request);
  const { n, errors } = await runStatements(
    request,
    unit,
    statements,
    async (statement, _, counts) => {
      const many = integerOf(statement.get('limit')) === 0;
      if (many) notRetryable(request, 'limit=0');
      const search = {
        filter: filterOf(statement.get('q'), 'delete.deletes.q'),
        variables,
        hint: statement.get('hint'),
      };
      const collection = searchedCollection(request, namespace, search);
      if (!collection) return;
      await eachMatch(request, unit, collection, search, many, (row) => {
        removeDocument(request.context, collection, row.rid, row.document);
        counts.n++;
      });
    },
  );
  return writeResult({ n }, errors);
}

/** Refuses a retryable write that changes several documents: a broken connection may leave it half done. */
function notRetryable(request: Request, what: string): void {
  if (request.get('txnNumber') !== undefined && !request.context.transaction)
    fail('InvalidOptions', `Cannot use (or request) retryable writes with ${what}`);
}

export const CHANGE_COMMANDS: Commands = {
  update: { writes: true, inTransaction: true, run: unitOf(update) },
  delete: { writes: true, inTransaction: true, run: unitOf(remove) },
};
