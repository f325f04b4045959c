import type { Actor } from '../contract/caller.ts';
import { type Field, field } from './define-model.ts';

/** The record of a caller in a resource or an audit entry. */
export const actor: Field<Actor, false> = field.object({
  type: field.stringOf<Actor['type']>(),
  id: field.nullable(field.number),
  name: field.string,
});
