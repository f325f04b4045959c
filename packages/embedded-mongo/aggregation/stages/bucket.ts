import { compareValues, rankOf } from '../../bson/compare.ts';
import { type Document, isDocument, isOperators, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { compileExpression } from '../expression.ts';
import { allowOnly } from '../options.ts';
import type { StageMaker } from '../stage.ts';
import { type Expression, isNullish } from '../variables.ts';
import { accumulatorsOf, grouping, ONE_EACH } from './group.ts';

const computed = (value: Value): boolean =>
  isOperators(value) || (typeof value === 'string' && value.startsWith('$'));

function boundariesOf(given: Value | undefined): Value[] {
  if (!Array.isArray(given) || given.length < 2)
    return fail(40192, "The $bucket 'boundaries' field must have at least 2 values");
  for (const [i, boundary] of given.entries()) {
    if (computed(boundary))
      fail(40191, "The $bucket 'boundaries' field must be an array of constant values");
    const before = given[i - 1];
    if (before === undefined) continue;
    if (rankOf(before) !== rankOf(boundary))
      fail(40193, "All values in the the 'boundaries' option to $bucket must have the same type");
    if (compareValues(boundary, before) <= 0)
      fail(40194, "The 'boundaries' option to $bucket must be sorted in ascending order");
  }
  return given;
}

function checkDefault(value: Value | undefined, boundaries: readonly Value[]): void {
  if (value === undefined) return;
  if (computed(value)) fail(40195, "The $bucket 'default' field must be a constant");
  const [least, end] = [boundaries[0] as Value, boundaries.at(-1) as Value];
  if (compareValues(value, least) >= 0 && compareValues(value, end) < 0) {
    fail(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
  }
}

/** Compiles the label of a bucket: the lower boundary of the value's bucket, else the default, else an error. */
function labelOf(
  by: Value,
  boundaries: readonly Value[],
  otherwise: Value | undefined,
): Expression {
  const value = compileExpression(by);
  return (seen) => {
    const found = value(seen);
    const i = isNullish(found)
      ? -1
      : boundaries.findLastIndex((boundary) => compareValues(found, boundary) >= 0);
    if (i >= 0 && i < boundaries.length - 1) return boundaries[i];
    return (
      otherwise ??
      fail(
        40066,
        '$switch could not find a matching branch for an input, and no default was specified.',
      )
    );
  };
}

function outputOf(spec: Document): Document {
  const output = spec.get('output') ?? ONE_EACH;
  return isDocument(output) ? output : fail(40196, "The $bucket 'output' field must be an object");
}

const bucket: StageMaker = (argument, { variables }) => {
  if (!isDocument(argument)) return fail(40201, 'Argument to $bucket stage must be an object');
  allowOnly(argument, ['groupBy', 'boundaries', 'default', 'output'], 40197, '$bucket');
  const by = argument.get('groupBy');
  if (by === undefined || !argument.has('boundaries'))
    return fail(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  if (!computed(by)) {
    fail(
      40202,
      "The $bucket 'groupBy' field must be defined as a $-prefixed path or an expression object",
    );
  }
  const boundaries = boundariesOf(argument.get('boundaries'));
  const otherwise = argument.get('default');
  checkDefault(otherwise, boundaries);
  const label = labelOf(by, boundaries, otherwise);
  return grouping(label, accumulatorsOf(outputOf(argument), variables), variables, (a, b) =>
    compareValues(a.id, b.id),
  );
};

export const BUCKET_STAGES: [string, StageMaker][] = [['$bucket', bucket]];
