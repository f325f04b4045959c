import { runUpdatePipeline } from '../aggregation/update-pipeline.ts';
import type { Variables } from '../aggregation/variables.ts';
import { equalValues } from '../bson/compare.ts';
import { encodeDocument } from '../bson/encode.ts';
import { cloneDocument } from '../bson/path.ts';
import { type Document, isDocument, isOperators, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { positionIn } from '../query/position.ts';
import type { Collection } from '../storage/catalog.ts';
import type { OperationContext } from '../storage/context.ts';
import { insertDocument, replaceDocument } from '../storage/documents.ts';
import type { Row } from '../storage/scan.ts';
import { compileUpdate } from '../update/update.ts';
import { upsertSeed, withId } from '../update/upsert.ts';
import { checkStored, MAX_DOCUMENT_BYTES } from './insert.ts';

/** A change of the documents that a query finds, by operators, a pipeline or a replacement. */
interface Change {
  kind: 'operators' | 'pipeline' | 'replacement';
  /**
   * Returns the changed document and may change the given document. `before` is the found document, in which the
   * positional operator `$` searches. An insert has no `before`.
   */
  apply(document: Document, before?: Document): Document;
}

interface ChangeSpec {
  update: Value | undefined;
  query: Document;
  arrayFilters: Value | undefined;
  variables: Variables;
  /** The constants of a pipeline (the option `c`). */
  constants: Value | undefined;
}

export function compileChange(spec: ChangeSpec): Change {
  const { update, query, arrayFilters, variables } = spec;
  if (Array.isArray(update)) {
    if (arrayFilters !== undefined)
      fail('FailedToParse', 'arrayFilters may not be specified for pipeline-syle updates');
    return { kind: 'pipeline', apply: runUpdatePipeline(update, variables, spec.constants) };
  }
  if (spec.constants !== undefined)
    fail(51198, 'Constant values may only be specified for pipeline updates');
  if (!isDocument(update)) {
    return fail(
      'FailedToParse',
      `Update argument must be either an object or an array, not ${typeName(update)}`,
    );
  }
  if (!isOperators(update)) return replacement(update, arrayFilters);
  const run = compileUpdate(update, arrayFilters, variables);
  const now = new Date();
  return {
    kind: 'operators',
    apply(document, before) {
      const matched = positionIn(query, before ?? new Map());
      run(document, { now, isInsert: before === undefined, matched });
      return document;
    },
  };
}

function replacement(update: Document, arrayFilters: Value | undefined): Change {
  if (arrayFilters !== undefined)
    fail('FailedToParse', 'arrayFilters may not be specified for replacement-style updates');
  for (const name of update.keys()) {
    if (name.startsWith('$')) {
      fail(
        'DollarPrefixedFieldName',
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
  }
  return {
    kind: 'replacement',
    apply(document) {
      const id = update.has('_id') ? update.get('_id') : document.get('_id');
      return id === undefined ? cloneDocument(update) : withId(cloneDocument(update), id);
    },
  };
}

const immutable = (): never =>
  fail(
    'ImmutableField',
    "Performing an update on the path '_id' would modify the immutable field '_id'",
  );

/** Changes one document. Returns its new bytes, or undefined when nothing has changed. */
export function changeRow(
  context: OperationContext,
  collection: Collection,
  row: Row,
  change: Change,
): Buffer | undefined {
  const before = row.document;
  let after = change.apply(cloneDocument(before), before);
  const id = before.get('_id') as Value;
  const changed = after.get('_id');
  if (changed === undefined || !equalValues(changed, id)) {
    if (changed !== undefined || change.kind === 'operators') immutable();
    after = withId(after, id);
  }
  const [first] = after.keys();
  if (first !== '_id') after = withId(after, changed ?? id);
  const bytes = encodeDocument(after);
  if (bytes.equals(row.bytes)) return undefined;
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    fail('UpdateTooLarge', `Resulting document after update is larger than ${MAX_DOCUMENT_BYTES}`);
  }
  replaceDocument(context, collection, row.rid, before, after, bytes);
  return bytes;
}

/** Inserts the document that an upsert makes from its query and its change. */
export function upsert(
  context: OperationContext,
  collection: Collection,
  query: Document,
  change: Change,
): { id: Value; bytes: Buffer } {
  const seed = upsertSeed(query);
  const id = seed.get('_id');
  if (change.kind === 'replacement') {
    seed.clear();
    if (id !== undefined) seed.set('_id', id);
  }
  const document = withId(change.apply(seed));
  if (id !== undefined && !equalValues(document.get('_id') as Value, id)) immutable();
  const bytes = encodeDocument(document);
  checkStored(document, bytes);
  insertDocument(context, collection, bytes, document);
  return { id: document.get('_id') as Value, bytes };
}
