import type { Json } from '@workspace-automation/flow-language';
import { isDeepStrictEqual } from 'node:util';
import type { TransformationDifference } from '../contract/transformation-resources.ts';

type DifferentPath = TransformationDifference['paths'][number];

/** Paths that a difference names. Further paths are left out, and `more` says so. */
const MAX_PATHS = 10;
/** Characters of a path, and of a value as JSON. The rest is cut. */
const LONGEST_TEXT = 120;
/** Levels of maps and lists that are compared member by member. A difference below is named at this level. */
const MAX_DEPTH = 20;

/**
 * Names the places (JSON pointers, RFC 6901) at which a value is not the expected one; null for equal values. The order
 * of the members of a map does not count. A value that is absent is undefined.
 */
export function differenceOf(
  expected: Json,
  actual: Json | undefined,
): TransformationDifference | null {
  const paths: DifferentPath[] = [];
  for (const found of differences(expected, actual, '', 0)) {
    if (paths.length === MAX_PATHS) return { error: null, paths, more: true };
    paths.push(found);
  }
  return paths.length ? { error: null, paths, more: false } : null;
}

type Value = Json | undefined;

function* differences(
  expected: Value,
  actual: Value,
  path: string,
  depth: number,
): Generator<DifferentPath> {
  if (isContainer(expected) && isContainer(actual) && depth < MAX_DEPTH) {
    if (Array.isArray(expected) === Array.isArray(actual)) {
      for (const name of namesIn(expected, actual)) {
        const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        yield* differences(memberOf(expected, name), memberOf(actual, name), place, depth + 1);
      }
      return;
    }
  }
  if (isDeepStrictEqual(expected, actual)) return;
  yield { path: cut(path), expected: textOf(expected), actual: textOf(actual) };
}

type Container = Json[] | { [key: string]: Json };

const isContainer = (value: Value): value is Container =>
  typeof value === 'object' && value !== null;

/** The names of the expected value's members, then those that the actual value alone has. */
function* namesIn(expected: Container, actual: Container): Generator<string> {
  yield* Object.keys(expected);
  for (const name of Object.keys(actual)) if (!Object.hasOwn(expected, name)) yield name;
}

const memberOf = (container: Container, name: string): Value =>
  Object.hasOwn(container, name) ? Reflect.get(container, name) : undefined;

const textOf = (value: Value): string | null =>
  value === undefined ? null : cut(JSON.stringify(value));

const cut = (text: string): string =>
  text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}…` : text;
