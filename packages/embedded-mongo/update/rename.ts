import { equalValues } from '../bson/compare.ts';
import { type Path, pathOf } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import type { Document, Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { refuseCreation, refuseObstacle, type UpdateOperator, write } from './operator.ts';
import { isPositional } from './positions.ts';
import type { Place } from './working-document.ts';

/** Makes a $rename, which sets the target and then removes the source. It is applied at the path of the target. */
export const rename: UpdateOperator = (_, field) => {
  const source = pathOf(field);
  return (target, context) => {
    const { working } = context;
    const from = working.find(source);
    refuseObstacle(from);
    if (from.value === undefined) return;
    refuseArrays(working.document, from, 'source');
    const to = working.find(target);
    refuseArrays(working.document, to, 'destination');
    refuseCreation(to);
    // An equal target keeps its own value, which may have another type.
    if (to.value === undefined || !equalValues(to.value, from.value))
      write(to, from.value, context);
    working.unset(from);
  };
};

function refuseArrays(document: Document, place: Place, end: string): void {
  const through = [...place.parents, place.obstacle].findIndex((value) => Array.isArray(value));
  if (through < 0) return;
  fail(
    'BadValue',
    `The ${end} field cannot be an array element, '${place.path.join('.')}' in doc with _id: ${show(document.get('_id'))} has an array field called '${place.path[through - 1]}'`,
  );
}

/** Checks the target of a $rename and returns its path. */
export function renameTarget(source: Path, argument: Value, target: Path): Path {
  const pair = `${source.join('.')}: ${show(argument)}`;
  const shorter = Math.min(source.length, target.length);
  if (source.slice(0, shorter).every((part, i) => part === target[i])) {
    if (source.length === target.length)
      fail('BadValue', `The source and target field for $rename must differ: ${pair}`);
    fail(
      'BadValue',
      `The source and target field for $rename must not be on the same path: ${pair}`,
    );
  }
  if (source.some(isPositional))
    fail('BadValue', `The source field for $rename may not be dynamic: ${source.join('.')}`);
  if (target.some(isPositional))
    fail('BadValue', `The destination field for $rename may not be dynamic: ${target.join('.')}`);
  return target;
}
