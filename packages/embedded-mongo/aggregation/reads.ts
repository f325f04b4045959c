import { isNumeric } from '../bson/numbers.ts';
import { type Document, isDocument, isOperators, type Value } from '../bson/values.ts';
import { stageOf } from './run.ts';
import type { Reads } from './stage.ts';
import { truthy } from './variables.ts';

/** Returns what a projection reads; undefined for whole documents. */
export function readsOfProjection(spec: Value | undefined): Reads | undefined {
  if (!isDocument(spec) || spec.size === 0) return undefined;
  const paths = new Set<string>();
  const id = spec.get('_id');
  if (id === undefined || isIncluded(id)) paths.add('_id');
  else if (!isExcluded(id) || spec.size === 1) return undefined;
  const others = new Map([...spec].filter(([name]) => name !== '_id'));
  return addProjected(others, '', paths) ? { paths, filters: [] } : undefined;
}

const isFlag = (value: Value): boolean => typeof value === 'boolean' || isNumeric(value);
const isIncluded = (value: Value): boolean => isFlag(value) && truthy(value);
const isExcluded = (value: Value): boolean => isFlag(value) && !truthy(value);

/** Operators of a projection that read a whole array. */
const OF_ARRAYS = ['$slice', '$elemMatch'];

/** Adds the paths that a projection reads. False where it reads whole documents. */
function addProjected(spec: Document, prefix: string, paths: Set<string>): boolean {
  return [...spec].every(([name, value]) => {
    const path = prefix + name;
    if (path.endsWith('.$') || path.startsWith('_id.')) return false;
    if (isFlag(value)) return truthy(value) && paths.add(path) !== undefined;
    if (isDocument(value) && !isOperators(value)) return addProjected(value, `${path}.`, paths);
    if (isDocument(value) && OF_ARRAYS.some((operator) => value.has(operator))) return false;
    // A computed field of an object keeps the other fields of the object.
    if (path.includes('.')) paths.add(topOf(path));
    return addRead(value, paths);
  });
}

const topOf = (path: string): string => path.split('.', 1)[0] ?? '';

/** Operators whose argument reads nothing. */
const LITERALS = ['$literal', '$const'];
/** Operators that read whole documents. */
const OF_DOCUMENTS = ['$getField', '$setField', '$unsetField', '$meta'];

/** Adds the paths that an expression reads. False where it reads whole documents. */
function addRead(expression: Value, paths: Set<string>): boolean {
  if (Array.isArray(expression)) return expression.every((one) => addRead(one, paths));
  if (isDocument(expression))
    return [...expression].every(
      ([name, value]) =>
        LITERALS.includes(name) || (!OF_DOCUMENTS.includes(name) && addRead(value, paths)),
    );
  if (typeof expression !== 'string' || !expression.startsWith('$')) return true;
  const [variable = '', ...rest] = expression.split('.');
  const isDocumentItself = variable === '$$ROOT' || variable === '$$CURRENT';
  if (isDocumentItself && rest.length === 0) return false;
  if (isDocumentItself) paths.add(rest.join('.'));
  else if (!variable.startsWith('$$')) paths.add(expression.slice(1));
  return true;
}

/** What a stage does to what is read. Undefined: the stage reads whole documents. */
interface Step {
  /** The fields that the stage makes, which later stages do not read of the found documents, and their expressions. */
  makes?: Document;
  /** Whether later stages read nothing else of the found documents. */
  ends?: boolean;
}
type StageReader = (argument: Value, paths: Set<string>) => Step | undefined;

const keeps: StageReader = () => ({});
const computes: StageReader = (argument, paths) =>
  addRead(argument, paths) ? { ends: true } : undefined;

const sets: StageReader = (argument, paths) => {
  if (!isDocument(argument) || !addRead([...argument.values()], paths)) return undefined;
  // A path or a document keeps the other fields of the object that it sets.
  const isNested = [...argument].some(
    ([name, value]) => name.includes('.') || (isDocument(value) && !isOperators(value)),
  );
  return isNested ? undefined : { makes: argument };
};

const projects: StageReader = (argument, paths) => {
  if (isDocument(argument) && [...argument.values()].every(isExcluded)) return {};
  const reads = readsOfProjection(argument);
  if (!reads || !isDocument(argument)) return undefined;
  for (const path of reads.paths) paths.add(path);
  return { makes: new Map([...argument].filter(([, value]) => !isFlag(value))), ends: true };
};

const unwinds: StageReader = (argument, paths) => {
  const path = isDocument(argument) ? argument.get('path') : argument;
  const index = isDocument(argument) ? argument.get('includeArrayIndex') : undefined;
  if (index !== undefined || path === undefined) return undefined;
  return addRead(path, paths) ? {} : undefined;
};

const looksUp: StageReader = (argument, paths) => {
  const [local, as, variables = null] = isDocument(argument)
    ? ['localField', 'as', 'let'].map((name) => argument.get(name))
    : [];
  if (typeof local === 'string') paths.add(local);
  if (typeof as !== 'string' || as.includes('.')) return undefined;
  return addRead(variables, paths) ? { makes: new Map([[as, null]]) } : undefined;
};

const branches: StageReader = (argument, paths) => {
  const pipelines = isDocument(argument) ? [...argument.values()].filter(Array.isArray) : [];
  const all = pipelines.map(readsOfPipeline);
  if (!all.every((reads) => reads?.filters.length === 0)) return undefined;
  for (const reads of all) for (const path of reads?.paths ?? []) paths.add(path);
  return { ends: true };
};

const STAGES: ReadonlyMap<string, StageReader> = new Map([
  ['$project', projects],
  ['$unset', keeps],
  ['$set', sets],
  ['$addFields', sets],
  ['$skip', keeps],
  ['$limit', keeps],
  ['$sample', keeps],
  ['$unionWith', keeps],
  [
    '$sort',
    (argument, paths) => (isDocument(argument) ? addAll(argument.keys(), paths) : undefined),
  ],
  ['$unwind', unwinds],
  ['$lookup', looksUp],
  ['$facet', branches],
  ['$count', () => ({ ends: true })],
  ...['$group', '$sortByCount', '$bucket', '$replaceRoot', '$replaceWith'].map(
    (name): [string, StageReader] => [name, computes],
  ),
]);

function addAll(names: Iterable<string>, paths: Set<string>): Step {
  for (const name of names) paths.add(name);
  return {};
}

/** Returns what a pipeline reads; undefined for whole documents. */
export function readsOfPipeline(pipeline: readonly Value[]): Reads | undefined {
  const reads: Reads = { paths: new Set(), filters: [] };
  const made: Document = new Map();
  for (const [at, stage] of pipeline.entries()) {
    const [name, argument] = stageOf(stage);
    if (name === '$match') {
      if (!isDocument(argument) || !addFilter(argument, reads, made)) return undefined;
      // The stage filters what the index shows, so that the index has to show its fields.
      for (const path of fieldsOf(argument)) if (!made.has(topOf(path))) reads.paths.add(path);
      continue;
    }
    const paths = new Set<string>();
    const step = STAGES.get(name)?.(argument, paths);
    if (!step) return undefined;
    for (const path of paths) if (!made.has(topOf(path))) reads.paths.add(path);
    for (const [field, value] of step.makes ?? []) made.set(field, value);
    if (!step.ends) continue;
    const hasFilters = name !== '$project' || addLaterFilters(pipeline.slice(at + 1), reads, made);
    return hasFilters ? reads : undefined;
  }
  return undefined;
}

/** Adds the filters that follow a projection, which MongoDB applies before it. False where that is not told. */
function addLaterFilters(stages: readonly Value[], reads: Reads, made: Document): boolean {
  for (const stage of stages) {
    const [name, argument] = stageOf(stage);
    if (name === '$match' && !addFilter(argument, reads, made)) return false;
    if (name !== '$match' && name !== '$sort') break;
  }
  return true;
}

/** Adds a filter on fields of the found documents. False where MongoDB may take a filter on other fields apart. */
function addFilter(filter: Value, reads: Reads, made: Document): boolean {
  if (!isDocument(filter)) return false;
  const values = [...fieldsOf(filter)].map((path) => made.get(topOf(path)));
  if (values.every((value) => value === undefined)) reads.filters.push(filter);
  else return values.every((value) => value !== undefined && typeof value !== 'string');
  return true;
}

/** The paths of a filter's conditions. */
function* fieldsOf(filter: Document): Generator<string> {
  for (const [name, value] of filter) {
    if (!name.startsWith('$')) yield name;
    else if (Array.isArray(value)) for (const one of value.filter(isDocument)) yield* fieldsOf(one);
  }
}
