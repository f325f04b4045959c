import { type Variables, variablesOf } from '../aggregation/variables.ts';
import { type Path, pathOf } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import { type Document, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileFilter, type Predicate } from '../query/match.ts';
import { comparePaths, refuseConflicts, refuseMixed } from './conflicts.ts';
import type { Apply } from './operator.ts';
import { UPDATE_OPERATORS } from './operators.ts';
import { filterName, isPositional, type Positions, resolvePositions } from './update-path.ts';

interface UpdateRun {
  now: Date;
  isInsert: boolean;
  /** Returns the index of the element that the query matched in the array at a path. */
  matched: Positions['matched'];
}

/** Changes a document in place. */
type Update = (document: Document, run: UpdateRun) => void;

interface Step {
  operator: string;
  path: Path;
  apply: Apply;
}

/** Compiles an update by operators, such as {$set: {a: 1}, $inc: {b: 1}}. */
export function compileUpdate(
  update: Document,
  arrayFilters?: Value,
  variables: Variables = variablesOf(),
): Update {
  const steps = stepsOf(update);
  const filters = compileArrayFilters(arrayFilters, steps, variables, update);
  return (document, { now, isInsert, matched }) => {
    const context = { document, now, isInsert };
    const due = isInsert ? steps : steps.filter(({ operator }) => operator !== '$setOnInsert');
    if (!due.some(({ path }) => path.some(isPositional))) {
      for (const { path, apply } of due) apply(path, context);
      return;
    }
    const targets = due.flatMap(({ path, apply }) => {
      const found = path.some(isPositional)
        ? resolvePositions(document, path, { matched, filters })
        : [path];
      return [...found].map((one) => ({ path: one, apply }));
    });
    refuseConflicts(targets.map(({ path }) => path));
    for (const { path, apply } of targets) apply(path, context);
  };
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
      const path = checkedPath(field);
      steps.push({ operator: name, path, apply: operator(argument, field) });
      touched.push(path);
      if (name === '$rename') touched.push(renameTarget(path, argument));
    }
  }
  refuseConflicts(touched);
  refuseMixed(touched);
  return steps.sort((a, b) => comparePaths(a.path, b.path));
}

function renameTarget(path: Path, argument: Value): Path {
  const target = checkedPath(String(argument));
  if (path.some(isPositional))
    fail('BadValue', `The source field for $rename may not be dynamic: ${path.join('.')}`);
  if (target.some(isPositional))
    fail('BadValue', `The destination field for $rename may not be dynamic: ${String(argument)}`);
  const shorter = Math.min(path.length, target.length);
  if (path.slice(0, shorter).join() === target.slice(0, shorter).join()) {
    fail(
      'BadValue',
      `The source and target field for $rename must differ and not lie on one path: ${path.join('.')}: "${String(argument)}"`,
    );
  }
  return target;
}

function checkedPath(field: string): Path {
  const path = pathOf(field);
  if (field === '') fail('EmptyFieldName', 'An empty update path is not valid.');
  if (path.includes('')) {
    fail(
      'EmptyFieldName',
      `The update path '${field}' contains an empty field name, which is not allowed.`,
    );
  }
  if (isPositional(path[0] as string)) {
    fail(
      'BadValue',
      `Cannot have positional (i.e. '$') element in the first position in path '${field}'`,
    );
  }
  for (const part of path) {
    if (part.startsWith('$') && !isPositional(part)) {
      fail(
        'DollarPrefixedFieldName',
        `The dollar ($) prefixed field '${part}' in '${field}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
  }
  return path;
}

function compileArrayFilters(
  given: Value | undefined,
  steps: Step[],
  variables: Variables,
  update: Document,
): Map<string, Predicate> {
  const filters = new Map<string, Predicate>();
  for (const filter of Array.isArray(given) ? given : []) {
    if (!isDocument(filter)) return fail('TypeMismatch', 'arrayFilters must hold objects');
    const name = filteredName(filter);
    if (name === undefined)
      return fail(
        'FailedToParse',
        'Cannot use an expression without a top-level field name in arrayFilters',
      );
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      fail(
        'BadValue',
        `The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (filters.has(name))
      fail(
        'FailedToParse',
        `Found multiple array filters with the same top-level field name ${name}`,
      );
    const matches = compileFilter(filter, variables);
    filters.set(name, (element) => matches(new Map([[name, element]])));
  }
  checkNames(filters, steps, update);
  return filters;
}

function checkNames(filters: Map<string, Predicate>, steps: Step[], update: Document): void {
  const used = new Set<string>();
  for (const { path } of steps) {
    for (const name of path.map(filterName)) {
      if (name === undefined) continue;
      if (!filters.has(name))
        fail(
          'BadValue',
          `No array filter found for identifier '${name}' in path '${path.join('.')}'`,
        );
      used.add(name);
    }
  }
  for (const name of filters.keys()) {
    if (!used.has(name))
      fail(
        'FailedToParse',
        `The array filter for identifier '${name}' was not used in the update ${show(update)}`,
      );
  }
}

/** Returns the name with which all conditions of an array filter must begin. */
function filteredName(filter: Document): string | undefined {
  const names = new Set<string>();
  for (const [name, condition] of filter) {
    if (!name.startsWith('$')) names.add(name.split('.')[0] as string);
    else if (Array.isArray(condition)) {
      for (const clause of condition) {
        const inner = isDocument(clause) ? filteredName(clause) : undefined;
        if (inner !== undefined) names.add(inner);
      }
    }
  }
  if (names.size > 1)
    fail(
      'FailedToParse',
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${[...names].join("' and '")}'`,
    );
  return [...names][0];
}
