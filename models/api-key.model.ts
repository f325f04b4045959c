import type { Scope } from '../contract/access-rule.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  /** SHA-256 of the key. The key itself is shown once and never stored. */
  hash: field.string,
  /** The first characters of the key, by which its owner recognises the key. */
  prefix: field.string,
  lastFour: field.string,
  scopes: field.list(field.stringOf<Scope>()),
  createdBy: actor,
  createdAt: field.date,
  expiresAt: field.nullable(field.date),
  /** The time of the last stored use. At most one use a minute is stored. */
  lastUsedAt: field.nullable(field.date),
  revokedAt: field.nullable(field.date),
  ...changedFields,
};
export type ApiKeyDocument = DocumentOf<typeof fields>;

export const ApiKeyModel = defineModel({
  name: 'ApiKey',
  collection: 'api_keys',
  fields,
  indexes: [
    outboxIndex,
    [{ hash: 1 }, { unique: true }],
    [{ workspaceId: 1, _id: 1 }],
    [{ 'createdBy.id': 1 }],
  ],
});
