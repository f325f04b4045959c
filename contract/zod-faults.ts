import type { z } from 'zod';
import { INVALID_ID } from './fields.ts';
import type { FieldFault } from './problem.ts';
import { codeOf } from './zod-messages.ts';

type Place = FieldFault['in'];

/** The fault of a field that the request may not have. */
export const unknownField = (place: Place, path: string): FieldFault => ({
  in: place,
  path,
  code: 'unknown_field',
  message: 'is not a field of this request',
});

/** The fault of a field that the request lacks. */
export const missingField = (place: Place, path: string): FieldFault => ({
  in: place,
  path,
  code: 'required',
  message: 'is required',
});

/** The fault of a text that is no id. */
export const idFault = (place: Place, path: string): FieldFault => ({
  in: place,
  path,
  code: 'invalid_id',
  message: INVALID_ID,
});

/** The faults of a value that zod found, with their places in the request. `placeOf` takes the first name of a path. */
export function faultsOf(
  error: z.ZodError,
  value: unknown,
  placeOf: (name: string) => Place,
): FieldFault[] {
  return error.issues.flatMap((issue): FieldFault[] => {
    const place = placeOf(String(issue.path[0] ?? ''));
    const path = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownField(place, [...issue.path, key].join('.')));
    }
    if (isMissing(value, issue.path)) {
      return [missingField(place, path)];
    }
    return [{ in: place, path, code: codeOf(issue), message: issue.message }];
  });
}

function isMissing(whole: unknown, path: PropertyKey[]): boolean {
  let value = whole;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value === undefined;
}

/** The first fault of each field. */
export function oneEach(faults: readonly FieldFault[]): FieldFault[] {
  const seen = new Map<string, FieldFault>();
  for (const fault of faults) {
    const key = `${fault.in} ${fault.path}`;
    if (!seen.has(key)) seen.set(key, fault);
  }
  return [...seen.values()];
}
