import { compileExpression } from '../aggregation/expression.ts';
import type { Variables } from '../aggregation/variables.ts';
import { type Document, isDocument, toDocument, type Value } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import type { Request } from './request.ts';

/** A source of documents in portions, not encoded. */
export interface Input {
  readonly done: boolean;
  pull(limit: number): Document[];
}

const given = (documents: Document[]): Input => {
  let done = false;
  return {
    get done() {
      return done;
    },
    pull() {
      done = true;
      return documents;
    },
  };
};

type FirstStage = (request: Request, argument: Value, variables: Variables) => Input;

const documents: FirstStage = (_, argument, variables) => {
  const list = compileExpression(argument)(variables);
  if (!Array.isArray(list))
    return fail(5858203, 'error during aggregation :: caused by :: an array is expected');
  return given(list.map((d) => (isDocument(d) ? d : fail(40228, '$documents must hold objects'))));
};

/** Runs $collStats, of which only `count` is supported. */
const collStats: FirstStage = ({ namespace, collection, context }, argument) => {
  if (!isDocument(argument)) return fail(5447000, '$collStats must take a nested object');
  for (const option of argument.keys())
    if (option !== 'count') unsupported(`$collStats of '${option}'`);
  if (!collection) fail('NamespaceNotFound', `Collection [${namespace}] not found.`);
  const n = collection ? Number(context.connection.get(collection.sql.count)?.[0]) : 0;
  const count = argument.has('count') ? n : undefined;
  return given([toDocument({ ns: namespace, localTime: new Date(), count })]);
};

/** The stages that make the first documents of a pipeline themselves instead of reading a collection. */
export const FIRST_STAGES: ReadonlyMap<string, FirstStage> = new Map([
  ['$documents', documents],
  ['$collStats', collStats],
]);
