import { type Variables, variablesOf } from '../aggregation/variables.ts';
import { type Path, pathOf, refuseLongPath } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import { type Document, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileArrayFilters } from './array-filters.ts';
import { comparePaths, refuseConflicts, refuseMixed } from './conflicts.ts';
import type { Apply } from './operator.ts';
import { UPDATE_OPERATORS } from './operators.ts';
import { isFiltered, isPositional, type Positions, resolvePositions } from './positions.ts';
import { renameTarget } from './rename.ts';
import { WorkingDocument } from './working-document.ts';

interface UpdateRun {
  now: Date;
  isInsert: boolean;
  /** Returns the index of the element that the query matched in the array at a path. */
  matched: Positions['matched'];
}

/** Returns the updated document, which shares unchanged values with the given document. */
type Update = (document: Document, run: UpdateRun) => WorkingDocument;

interface Step {
  path: Path;
  apply: Apply;
}

/** Compiles an update by operators, such as {$set: {a: 1}, $inc: {b: 1}}. */
export function compileUpdate(
  update: Document,
  arrayFilters: readonly Document[] = [],
  variables: Variables = variablesOf(),
): Update {
  const steps = stepsOf(update);
  const paths = steps.map(({ path }) => path);
  const filters = compileArrayFilters(arrayFilters, paths, variables, update);
  const positional = paths.some((path) => path.some(isPositional));
  return (document, { now, isInsert, matched }) => {
    const working = new WorkingDocument(document);
    const due = positional ? resolved(document, steps, { matched, filters }) : steps;
    for (const { path, apply } of due) apply(path, { working, now, isInsert });
    return working;
  };
}

/** Returns the steps with the paths that they have in a document. */
function resolved(document: Document, steps: readonly Step[], positions: Positions): Step[] {
  const found = steps.flatMap(({ path, apply }) => {
    const paths = path.some(isPositional) ? resolvePositions(document, path, positions) : [path];
    return paths.map((one) => ({ path: one, apply }));
  });
  refuseConflicts(found.map(({ path }) => path));
  return found.sort((a, b) => comparePaths(a.path, b.path));
}

/** Returns the steps of an update in the order of their paths, in which new fields are added. */
function stepsOf(update: Document): Step[] {
  const steps: Step[] = [];
  const touched: Path[] = [];
  for (const [name, fields] of update) {
    const operator = UPDATE_OPERATORS.get(name);
    if (!operator) {
      return fail(
        'FailedToParse',
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDocument(fields)) {
      return fail(
        'FailedToParse',
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${name}: ${show(fields)}}`,
      );
    }
    for (const [field, argument] of fields) {
      const source = checkedPath(field);
      const path = name === '$rename' ? targetOf(source, argument) : source;
      steps.push({ path, apply: operator(argument, field) });
      touched.push(path);
      if (path !== source) touched.push(source);
    }
  }
  refuseConflicts(touched);
  refuseMixed(touched);
  return steps.sort((a, b) => comparePaths(a.path, b.path));
}

function targetOf(source: Path, argument: Value): Path {
  if (typeof argument !== 'string') {
    return fail(
      'BadValue',
      `The 'to' field for $rename must be a string: ${source.join('.')}: ${show(argument)}`,
    );
  }
  if (argument.includes('\0'))
    fail('BadValue', "The 'to' field for $rename cannot contain an embedded null byte");
  return renameTarget(source, argument, checkedPath(argument));
}

/** Checks the path of an update. Its parts may begin with `$`, but a new top-level field may not. */
function checkedPath(field: string): Path {
  const path = pathOf(field);
  refuseLongPath(path);
  if (field === '') fail('EmptyFieldName', 'An empty update path is not valid.');
  if (path.includes('')) {
    fail(
      'EmptyFieldName',
      `The update path '${field}' contains an empty field name, which is not allowed.`,
    );
  }
  const [first = ''] = path;
  if (isFiltered(first)) {
    fail(
      'BadValue',
      `Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '${field}'`,
    );
  }
  if (path.filter((part) => part === '$').length > 1)
    fail('BadValue', `Too many positional (i.e. '$') elements found in path '${field}'`);
  if (first === '$') {
    fail(
      'BadValue',
      `Cannot have positional (i.e. '$') element in the first position in path '${field}'`,
    );
  }
  return path;
}
