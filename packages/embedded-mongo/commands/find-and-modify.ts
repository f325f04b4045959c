import { decodeDocument } from '../bson/decode.ts';
import { type Document, isDocument, toDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { filterOf } from '../query/match.ts';
import { compileProjection } from '../query/projection.ts';
import { sortOf } from '../query/sort.ts';
import { removeDocument } from '../storage/documents.ts';
import type { Row } from '../storage/scan.ts';
import { refuseExpressions } from '../update/pull.ts';
import { changeRow, compileChange, upsert } from './change.ts';
import { variablesIn } from './find.ts';
import { unitOf } from './insert.ts';
import type { Commands, Reply, Request } from './request.ts';
import { eachMatch, searchedCollection } from './update.ts';
import type { WriteUnit } from './write-unit.ts';

async function findAndModify(request: Request, unit: WriteUnit): Promise<Reply> {
  checkOptions(request);
  const { namespace, context } = request;
  const variables = variablesIn(request);
  const query = filterOf(request.get('query'), 'findAndModify.query');
  const projection = compileProjection(request.get('fields'), { variables, filter: query });
  const show = (bytes: Buffer | undefined): Value => {
    if (!bytes) return null;
    const document = decodeDocument(bytes);
    return projection ? projection(document) : document;
  };
  const removing = request.flag('remove');
  const update = request.get('update');
  const change = removing
    ? undefined
    : compileChange({
        update,
        query,
        arrayFilters: request.get('arrayFilters') ?? undefined,
        variables,
        constants: undefined,
      });
  await unit.begin();
  const wantsInsert = request.flag('upsert');
  if (wantsInsert) refuseExpressions(query);
  const sort = sortOf(request.get('sort'));
  const search = { filter: query, variables, sort, hint: request.get('hint') };
  const collection = searchedCollection(request, namespace, search, wantsInsert);
  let found: Row | undefined;
  let after: Buffer | undefined;
  if (collection) {
    await eachMatch(request, unit, collection, search, false, (row) => {
      found = row;
      if (change) after = changeRow(context, collection, row, change);
      else removeDocument(context, collection, row.rid, row.document);
    });
  }
  const returnNew = request.flag('new');
  if (removing) return answer({ n: found ? 1 : 0 }, show(found?.bytes));
  if (found)
    return answer(
      { n: 1, updatedExisting: true },
      show(returnNew ? (after ?? found.bytes) : found.bytes),
    );
  if (!wantsInsert || !collection || !change) return answer({ n: 0, updatedExisting: false }, null);
  const { id, bytes } = upsert(context, collection, query, change);
  return answer({ n: 1, updatedExisting: false, upserted: id }, returnNew ? show(bytes) : null);
}

const answer = (lastErrorObject: { [name: string]: Value }, value: Value): Document =>
  toDocument({ lastErrorObject, value });

function checkOptions(request: Request): void {
  const update = request.get('update');
  const removing = request.flag('remove');
  if (removing && update !== undefined)
    fail('FailedToParse', "Cannot specify both an 'update' and 'remove'=true");
  if (removing && request.flag('new'))
    fail(
      'FailedToParse',
      "Cannot specify both 'new'=true and 'remove'=true; 'remove' always returns the deleted document",
    );
  if (removing && request.get('arrayFilters') !== undefined)
    fail('FailedToParse', 'Cannot specify arrayFilters and remove=true');
  if (removing && request.flag('upsert'))
    fail('FailedToParse', "Cannot specify both 'upsert'=true and 'remove'=true");
  if (!removing && !isDocument(update) && !Array.isArray(update))
    fail('FailedToParse', "Either an 'update' or 'remove'=true must be specified");
}

const command: Commands[string] = { writes: true, inTransaction: true, run: unitOf(findAndModify) };

export const FIND_AND_MODIFY: Commands = { findAndModify: command, findandmodify: command };
