import { pathOf, refuseLongPath, visitPath, withField } from '../../bson/path.ts';
import { approximateSize } from '../../bson/size.ts';
import { type Document, isDocument, Regex, typeName, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { compileExpression, fieldPath } from '../expression.ts';
import { MAX_VALUE_BYTES } from '../operators/arguments.ts';
import { allowOnly } from '../options.ts';
import { readsOfPipeline } from '../reads.ts';
import { collect, drain, feed, runStages, stageOf } from '../run.ts';
import type { StageMaker } from '../stage.ts';
import { compileNames, type Variables } from '../variables.ts';

const pipelineOf = (value: Value | undefined): Value[] => {
  if (value === undefined) return [];
  return Array.isArray(value)
    ? value
    : fail('TypeMismatch', `'pipeline' must be an array, not ${typeName(value)}`);
};

const text = (spec: Document, name: string): string | undefined => {
  const value = spec.get(name);
  if (value === undefined || typeof value === 'string') return value;
  return fail(
    'FailedToParse',
    `$lookup argument '${name}' must be a string, is type ${typeName(value)}`,
  );
};

/** Tells whether a sub-pipeline makes its documents itself, so that it needs no collection. */
function isDocuments(spec: Document): boolean {
  const [first] = pipelineOf(spec.get('pipeline'));
  return isDocument(first) && first.has('$documents');
}

/** Takes a pipeline apart: its first $match, which an index may serve, and the stages behind it. */
function leadingMatch(pipeline: readonly Value[]) {
  const [first, ...others] = pipeline;
  const filter = isDocument(first) ? first.get('$match') : undefined;
  const match = isDocument(filter) ? filter : undefined;
  const rest = match ? others : pipeline;
  return { match, rest, reads: readsOfPipeline(rest) };
}

const LOOKUP = ['from', 'as', 'localField', 'foreignField', 'pipeline', 'let'];

const lookup: StageMaker = (argument, context) => {
  if (!isDocument(argument))
    return fail('FailedToParse', 'the $lookup stage specification must be an object');
  const [from, as, local, foreign] = ['from', 'as', 'localField', 'foreignField'].map((name) =>
    text(argument, name),
  );
  if (from === undefined && isDocuments(argument)) unsupported('$lookup of $documents');
  if (from === undefined || as === undefined)
    return fail('FailedToParse', "$lookup requires 'from' and 'as'");
  if ((local === undefined) !== (foreign === undefined)) {
    fail(
      'FailedToParse',
      '$lookup requires both or neither of localField and foreignField to be specified',
    );
  }
  allowOnly(argument, LOOKUP, 'FailedToParse', '$lookup');
  for (const path of [as, local ?? '', foreign ?? '']) refuseLongPath(pathOf(path));
  const pipeline = pipelineOf(argument.get('pipeline'));
  // An invalid sub-pipeline is refused even if there are no documents.
  context.compile(pipeline, context);
  if (local === undefined && !argument.has('pipeline'))
    fail('FailedToParse', "$lookup needs 'pipeline' or localField and foreignField");
  const definitions = definitionsOf(argument.get('let'));
  const { match, rest, reads } = leadingMatch(pipeline);
  const join = async (document: Document): Promise<Document> => {
    const variables = context.variables.with(definitions(context.variables.withRoot(document)));
    const filter = local === undefined ? new Map() : joinFilter(document, local, foreign as string);
    const wanted = match ? both(filter, match, variables) : filter;
    const found = context.read(from, wanted, variables, reads);
    const portions = runStages(found, rest, { ...context, variables });
    const joined: Document[] = [];
    let bytes = 0;
    for await (const portion of portions) {
      for (const one of portion) {
        bytes += approximateSize(one);
        joined.push(one);
      }
      if (bytes > MAX_VALUE_BYTES)
        fail(
          4568,
          `Total size of documents in ${from} matching pipeline's $lookup stage exceeds ${MAX_VALUE_BYTES} bytes`,
        );
    }
    return withField(document, pathOf(as), joined);
  };
  return {
    async push(documents) {
      const out: Document[] = [];
      for (const document of documents) {
        out.push(await join(document));
        await context.rest();
      }
      return out;
    },
    finish: () => [],
  };
};

function definitionsOf(definitions: Value = new Map()) {
  if (!isDocument(definitions))
    return fail(
      'FailedToParse',
      `$lookup argument 'let' must be an object, is type ${typeName(definitions)}`,
    );
  return compileNames(definitions, compileExpression);
}

/** Makes the filter of a join. A missing field joins null and missing fields; an array joins by each of its elements. */
function joinFilter(document: Document, local: string, foreign: string): Document {
  const values: Value[] = [];
  visitPath(document, pathOf(local), (value) => {
    if (value !== undefined)
      for (const one of Array.isArray(value) ? value : [value]) values.push(one);
    return false;
  });
  const [only = null] = values;
  if (values.length < 2) return new Map([[foreign, new Map([['$eq', only]])]]);
  // A regular expression joins equal regular expressions. In an $in it would be a pattern.
  const patterns = values.filter((value) => value instanceof Regex);
  const plain = values.filter((value) => !(value instanceof Regex));
  const listed = new Map([[foreign, new Map([['$in', plain]])]]);
  if (patterns.length === 0) return listed;
  const alike = patterns.map((pattern): Value => new Map([[foreign, new Map([['$eq', pattern]])]]));
  return new Map([['$or', [listed, ...alike]]]);
}

/** Combines the filter of the join and the sub-pipeline's first $match, so that an index can serve either. */
function both(filter: Document, match: Document, variables: Variables): Document {
  const parts = [filter, match, ...equalities(match, variables)].filter(({ size }) => size > 0);
  return parts.length === 0 ? new Map() : new Map([['$and', parts]]);
}

/** Returns {$expr: {$eq: ['$field', '$$variable']}} as plain equalities, which an index can serve. */
function equalities(match: Document, variables: Variables): Document[] {
  const expression = match.get('$expr');
  if (!isDocument(expression)) return [];
  const all = expression.get('$and');
  const parts = Array.isArray(all) ? all.filter(isDocument) : [expression];
  return parts.flatMap((part) => {
    const pair = part.get('$eq');
    if (!Array.isArray(pair) || pair.length !== 2) return [];
    const [field, variable] = String(pair[0]).startsWith('$$') ? [pair[1], pair[0]] : pair;
    if (typeof field !== 'string' || !/^\$[^$.]+$/.test(field)) return [];
    if (typeof variable !== 'string' || !variable.startsWith('$$') || variable.startsWith('$$ROOT'))
      return [];
    const value = compileExpression(variable)(variables);
    const scalar =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return scalar ? [new Map([[field.slice(1), value as Value]])] : [];
  });
}

const NOT_IN_FACETS = ['$facet', '$out', '$merge', '$documents', '$collStats'];

function refuseInFacets(facets: Document): void {
  for (const stage of [...facets.values()].flatMap(pipelineOf)) {
    const [name] = stageOf(stage);
    if (NOT_IN_FACETS.includes(name))
      fail(40600, `${name} is not allowed to be used within a $facet stage`);
  }
}

function checkName(name: string): void {
  if (name.includes('.')) fail(16412, "FieldPath field names may not contain '.'.");
  fieldPath(name);
}

const facet: StageMaker = (argument, context) => {
  if (!isDocument(argument) || argument.size === 0)
    return fail(40169, 'the $facet specification must be a non-empty object');
  for (const name of argument.keys()) checkName(name);
  refuseInFacets(argument);
  const facets = [...argument].map(([name, pipeline]) => ({
    name,
    stages: context.compile(pipelineOf(pipeline), context),
    found: [] as Document[],
  }));
  return {
    async push(documents) {
      for (const { stages, found } of facets)
        for (const document of await feed(stages, documents, context)) found.push(document);
      return [];
    },
    async *finish() {
      const result: Document = new Map();
      for (const { name, stages, found } of facets)
        result.set(name, found.concat(await collect(drain(stages, context))));
      yield [result];
    },
  };
};

const unionWith: StageMaker = (argument, context) => {
  const spec = isDocument(argument) ? argument : new Map<string, Value>([['coll', argument]]);
  allowOnly(spec, ['coll', 'pipeline'], 40415, '$unionWith');
  const collection = spec.get('coll');
  if (collection === undefined && isDocuments(spec)) unsupported('$unionWith of $documents');
  if (typeof collection !== 'string')
    return fail('FailedToParse', '$unionWith needs the name of a collection');
  const pipeline = pipelineOf(spec.get('pipeline'));
  context.compile(pipeline, context);
  const { match = new Map(), rest, reads } = leadingMatch(pipeline);
  return {
    push: (documents) => documents,
    finish: () =>
      runStages(context.read(collection, match, context.variables, reads), rest, context),
  };
};

export const JOIN_STAGES: [string, StageMaker][] = [
  ['$lookup', lookup],
  ['$facet', facet],
  ['$unionWith', unionWith],
];
