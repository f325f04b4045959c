import type { Actor } from '../contract/caller.ts';
import { type Field, field } from './define-model.ts';

/** Who did something, as it is kept with what was done. */
export const actor: Field<Actor, false> = field.object({
  type: field.stringOf<Actor['type']>(),
  id: field.nullable(field.number),
  name: field.string,
});
