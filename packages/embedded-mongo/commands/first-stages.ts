import { compileExpression } from '../aggregation/expression.ts';
import type { Variables } from '../aggregation/variables.ts';
import { type Document, isDocument, toDocument, type Value } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import type { Request } from './request.ts';

/** Documents in portions, before they are encoded. */
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

/** Of all that MongoDB tells only the number of documents. */
const collStats: FirstStage = ({ namespace, collection, context }, argument) => {
  if (!isDocument(argument)) return fail(5447000, '$collStats must take a nested object');
  for (const option of argument.keys())
    if (option !== 'count') unsupported(`$collStats of '${option}'`);
  if (!collection) fail('NamespaceNotFound', `Collection [${namespace}] not found.`);
  const n = collection ? Number(context.connection.get(collection.sql.count)?.[0]) : 0;
  const count = argument.has('count') ? n : undefined;
  return given([toDocument({ ns: namespace, localTime: new Date(), count })]);
};

/** Stages that begin a pipeline with something else than a collection's documents. */
export const FIRST_STAGES: ReadonlyMap<string, FirstStage> = new Map([
  ['$documents', documents],
  ['$collStats', collStats],
]);
