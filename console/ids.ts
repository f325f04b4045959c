import { IdText } from '../contract/fields.ts';

/** Parses a typed id. Throws an Error that describes a valid id. */
export function parseId(what: string, typed: unknown): number {
  const parsed = IdText.safeParse(typed);
  if (!parsed.success) throw new RangeError(`${what} ${parsed.error.issues[0]?.message}.`);
  return parsed.data;
}
