import { type DocumentOf, defineModel, field } from '../../models/define-model.ts';

/** Compiled, never run: the type of a document follows from its fields. */

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const fields = {
  _id: field.number,
  status: field.stringOf<'OPEN' | 'CLOSED'>(),
  label: field.nullable(field.string),
  parts: field.list(field.object({ id: field.string, at: field.optional(field.date) })),
  live: field.flag,
};
interface Expected {
  _id: number;
  status: 'OPEN' | 'CLOSED';
  label: string | null;
  parts: { id: string; at?: Date }[];
  live?: true;
}
const isSame: Same<DocumentOf<typeof fields>, { [K in keyof Expected]: Expected[K] }> = true;
void isSame;

const named = {
  name: 'Typed',
  collection: 'typed',
  fields: { _id: field.number, owner: field.number },
};
const keep = { keep: 'a test' };

void function refuses() {
  // @ts-expect-error a collection says what becomes of its documents
  defineModel(named);
  // @ts-expect-error with the person as well
  defineModel({ ...named, lifecycle: { workspace: keep } });
  // @ts-expect-error by a field that it has
  defineModel({ ...named, lifecycle: { workspace: { remove: 'ownr' }, person: keep } });
  // @ts-expect-error by a field that it has
  defineModel({ ...named, lifecycle: { workspace: keep, person: { remove: ['ownr'] } } });
  defineModel({ ...named, lifecycle: { workspace: { remove: 'owner' }, person: keep } });
};
