import { equalValues } from '../bson/compare.ts';
import { ValueSet } from '../bson/value-set.ts';
import { type Document, isDocument, Regex, typeName, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import { type Apply, refuseObstacle, type UpdateOperator } from './operator.ts';

/** Makes a change of an existing array. A missing array stays missing. */
export const shortening =
  (change: (array: Value[]) => Value[], refuse: (value: Value, field: string) => never): Apply =>
  (path, { working }) => {
    const place = working.find(path);
    refuseObstacle(place);
    const { value } = place;
    if (value === undefined) return;
    if (!Array.isArray(value)) return refuse(value, path.join('.'));
    const changed = change(value);
    if (changed.length < value.length) working.set(place, changed);
  };

/**
 * The operators with which the condition of a $pull is a condition on each element. A condition that begins with another
 * operator, such as $not and $eq, is a filter of documents, in which MongoDB refuses that operator.
 */
const OF_ELEMENTS = new Set(
  '$gt $gte $lt $lte $ne $in $nin $all $size $exists $mod $type $regex $options $elemMatch $bitsAllSet $bitsAllClear $bitsAnySet $bitsAnyClear $near $nearSphere $geoNear $within $geoWithin $geoIntersects'.split(
    ' ',
  ),
);

/** Makes a $pull by a condition on the elements, by a condition on the fields of document elements, or by a value. */
export const pull: UpdateOperator = (argument) => {
  const matches = pullTest(argument);
  return removing((element) => !matches(element));
};

function pullTest(argument: Value): (element: Value) => boolean {
  const [first = ''] = isDocument(argument) ? argument.keys() : [];
  if (OF_ELEMENTS.has(first) || argument instanceof Regex) {
    const matches = compileFilter(new Map([['e', argument]]));
    return (element) => matches(new Map([['e', element]]));
  }
  if (!isDocument(argument)) return (element) => equalValues(element, argument);
  refuseExpressions(argument);
  const matches = compileFilter(argument);
  return (element) => isDocument(element) && matches(element);
}

/** Refuses $expr in a filter that is applied to elements. */
export function refuseExpressions(filter: Document): void {
  for (const [name, condition] of filter) {
    if (name === '$expr') fail('QueryFeatureNotAllowed', '$expr is not allowed in this context');
    if (name.startsWith('$') && Array.isArray(condition))
      for (const clause of condition.filter(isDocument)) refuseExpressions(clause);
  }
}

export const pullAll: UpdateOperator = (argument) => {
  if (!Array.isArray(argument))
    return fail(
      'BadValue',
      `$pullAll requires an array argument but was given a ${typeName(argument)}`,
    );
  const removed = new ValueSet(argument);
  return removing((element) => !removed.has(element));
};

const removing = (keeps: (element: Value) => boolean): Apply =>
  shortening(
    (array) => array.filter(keeps),
    () => fail('BadValue', 'Cannot apply $pull to a non-array value'),
  );
