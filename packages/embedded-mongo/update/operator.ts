import type { Path } from '../bson/path.ts';
import { show } from '../bson/show.ts';
import type { Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import type { Place, WorkingDocument } from './working-document.ts';

/** The document and the circumstances of an update, for its operators. */
interface UpdateContext {
  working: WorkingDocument;
  now: Date;
  isInsert: boolean;
}

/** Changes the value at one path. */
export type Apply = (path: Path, context: UpdateContext) => void;

/** Checks an operator's argument for one field and returns the change. */
export type UpdateOperator = (argument: Value, field: string) => Apply;

/** Makes a change that sets a value, also where it is missing. `compute` returns undefined or the value for no change. */
export const setting =
  (
    compute: (current: Value | undefined, context: UpdateContext, path: Path) => Value | undefined,
  ): Apply =>
  (path, context) => {
    const place = context.working.find(path);
    refuseCreation(place);
    const value = compute(place.value, context, path);
    if (value !== undefined && value !== place.value) write(place, value, context);
  };

/** Sets a value. A top-level field that begins with `$` can only be inserted. */
export function write(place: Place, value: Value, { working, isInsert }: UpdateContext): void {
  const [field = ''] = place.path;
  if (!isInsert && place.parents.length === 1) refuseDollarField(field);
  working.set(place, value);
}

export function refuseDollarField(field: string): void {
  if (field.startsWith('$')) {
    fail(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${field}' in '${field}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    );
  }
}

/** Refuses a place that cannot be made, because its path leads through a scalar or enters an array by a name. */
export function refuseCreation(place: Place): void {
  if (place.obstacle === undefined) return;
  const { part, element } = describe(place);
  fail('PathNotViable', `Cannot create field '${part}' in element ${element}`);
}

/** Refuses a place that could not exist, for an operator that changes only existing values. */
export function refuseObstacle(place: Place): void {
  if (place.obstacle === undefined) return;
  const { part, element } = describe(place);
  fail(
    'PathNotViable',
    `Cannot use the part (${part}) of (${place.path.join('.')}) to traverse the element (${element})`,
  );
}

function describe({ path, parents, obstacle }: Place): { part: string; element: string } {
  const name = path[parents.length - 1] ?? '';
  return { part: path[parents.length] as string, element: `{${name}: ${show(obstacle)}}` };
}
