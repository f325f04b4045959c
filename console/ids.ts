import { IdText } from '../contract/fields.ts';

/** An id as it was typed; throws an Error that says what it should be. */
export function parseId(what: string, typed: unknown): number {
  const parsed = IdText.safeParse(typed);
  if (!parsed.success) throw new RangeError(`${what} ${parsed.error.issues[0]?.message}.`);
  return parsed.data;
}
