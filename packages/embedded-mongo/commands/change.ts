import { runUpdatePipeline } from '../aggregation/update-pipeline.ts';
import type { Variables } from '../aggregation/variables.ts';
import { equalValues } from '../bson/compare.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Path } from '../bson/path.ts';
import { type Document, isDocument, isOperators, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compilePositions } from '../query/position.ts';
import type { Collection } from '../storage/catalog.ts';
import type { OperationContext } from '../storage/context.ts';
import { insertDocument, replaceDocument } from '../storage/documents.ts';
import type { Row } from '../storage/scan.ts';
import { arrayFiltersOf } from '../update/array-filters.ts';
import { refuseDollarField } from '../update/operator.ts';
import { compileUpdate } from '../update/update.ts';
import { upsertSeed, withId } from '../update/upsert.ts';
import { checkStored, checkUpdatedSize } from './insert.ts';

/** A change of the documents that a query finds, by operators, a pipeline or a replacement. */
interface Change {
  kind: 'operators' | 'pipeline' | 'replacement';
  /** Returns the changed document. It shares unchanged values with the found document, or with the seed of an insert. */
  apply(document: Document, isInsert: boolean): Changed;
}

interface Changed {
  document: Document;
  /** Whether MongoDB counts a modification even if the document has become the same again. */
  touched?: boolean;
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
  const filters = arrayFiltersOf(arrayFilters);
  if (Array.isArray(update)) {
    if (filters.length > 0)
      fail('FailedToParse', 'arrayFilters may not be specified for pipeline-style updates');
    const run = runUpdatePipeline(update, variables, spec.constants);
    return { kind: 'pipeline', apply: (document) => ({ document: run(document) }) };
  }
  if (spec.constants !== undefined)
    fail(51198, 'Constant values may only be specified for pipeline updates');
  if (!isDocument(update)) {
    return fail(
      'FailedToParse',
      `Update argument must be either an object or an array, not ${typeName(update)}`,
    );
  }
  if (!isOperators(update)) {
    if (filters.length > 0)
      fail('FailedToParse', 'arrayFilters may not be specified for replacement-style updates');
    return replacement(update);
  }
  const run = compileUpdate(update, filters, variables);
  const positionOf = compilePositions(query);
  const now = new Date();
  return {
    kind: 'operators',
    apply(document, isInsert) {
      const matched = (path: Path) => (isInsert ? undefined : positionOf(document, path));
      return run(document, { now, isInsert, matched });
    },
  };
}

function replacement(update: Document): Change {
  return {
    kind: 'replacement',
    apply(document, isInsert) {
      if (!isInsert) for (const name of update.keys()) refuseDollarField(name);
      const id = update.has('_id') ? update.get('_id') : document.get('_id');
      return { document: id === undefined ? update : withId(update, id) };
    },
  };
}

const immutable = (): never =>
  fail(
    'ImmutableField',
    "Performing an update on the path '_id' would modify the immutable field '_id'",
  );

/** Changes one document. Returns its new bytes, or undefined when MongoDB counts no modification. */
export function changeRow(
  context: OperationContext,
  collection: Collection,
  row: Row,
  change: Change,
): Buffer | undefined {
  const before = row.document;
  const { document, touched } = change.apply(before, false);
  if (document === before) return undefined;
  let after = document;
  const id = before.get('_id') as Value;
  const changed = after.get('_id');
  if (changed === undefined || !equalValues(changed, id)) {
    if (changed !== undefined || change.kind === 'operators') immutable();
    after = withId(after, id);
  }
  const [first] = after.keys();
  if (first !== '_id') after = withId(after, changed ?? id);
  const bytes = encodeDocument(after);
  if (bytes.equals(row.bytes)) return touched ? bytes : undefined;
  checkUpdatedSize(bytes);
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
  const seed = upsertSeed(query, change.kind === 'replacement');
  const id = seed.get('_id');
  const document = withId(change.apply(seed, true).document);
  if (id !== undefined && !equalValues(document.get('_id') as Value, id)) immutable();
  const bytes = encodeDocument(document);
  checkStored(document, bytes);
  insertDocument(context, collection, bytes, document);
  return { id: document.get('_id') as Value, bytes };
}
