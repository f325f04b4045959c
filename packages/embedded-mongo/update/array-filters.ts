import type { Variables } from '../aggregation/variables.ts';
import type { Path } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import { type Document, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileFilter, type Predicate } from '../query/match.ts';
import { filterName } from './positions.ts';
import { refuseExpressions } from './pull.ts';

/** Returns the filters of a statement's arrayFilters. Null counts as no filters. */
export function arrayFiltersOf(given: Value | undefined): readonly Document[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) return wrongType('arrayFilters', given, 'array');
  return given.map((filter, i) =>
    isDocument(filter) ? filter : wrongType(`arrayFilters.${i}`, filter, 'object'),
  );
}

const wrongType = (field: string, value: Value, expected: string): never =>
  fail(
    'TypeMismatch',
    `BSON field '${field}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
  );

/** Compiles array filters by their names. Each name in a path must have a filter, and each filter must be used. */
export function compileArrayFilters(
  given: readonly Document[],
  paths: readonly Path[],
  variables: Variables,
  update: Document,
): Map<string, Predicate> {
  const filters = new Map<string, Predicate>();
  for (const filter of given) {
    refuseExpressions(filter);
    const name = filteredName(filter);
    if (name === undefined)
      return fail(
        'FailedToParse',
        'Cannot use an expression without a top-level field name in arrayFilters',
      );
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      fail(
        'BadValue',
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (filters.has(name))
      fail(
        'FailedToParse',
        `Found multiple array filters with the same top-level field name ${name}`,
      );
    const matches = compileFilter(filter, variables);
    filters.set(name, (element) => matches(new Map([[name, element]])));
  }
  checkNames(filters, paths, update);
  return filters;
}

function checkNames(
  filters: Map<string, Predicate>,
  paths: readonly Path[],
  update: Document,
): void {
  const used = new Set<string>();
  for (const path of paths) {
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
