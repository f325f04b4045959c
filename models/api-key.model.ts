import type { Scope } from '../contract/access-rule.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A key that a rotation has replaced. */
const replacedKey = field.object({
  hash: field.string,
  /** The end of the grace time, from which the replaced key is refused. */
  until: field.date,
});

const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  /** SHA-256 of the key. The key itself is shown once and never stored. */
  hash: field.string,
  /** The keys that rotations have replaced and that may still be in their grace time. Absent before the first rotation. */
  replaced: field.optional(field.list(replacedKey)),
  /** The number of the key among the live keys of its workspace, below the quota; absent without a quota and once revoked. */
  quotaSlot: field.optional(field.number),
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

/** The name of the unique index by which at most one live key of a workspace holds a quota slot. */
export const KEY_QUOTA_INDEX = 'workspace_quota_slot';

export const ApiKeyModel = defineModel({
  name: 'ApiKey',
  collection: 'api_keys',
  fields,
  indexes: [
    outboxIndex,
    [{ hash: 1 }, { unique: true }],
    [{ 'replaced.hash': 1 }, { sparse: true }],
    [
      { workspaceId: 1, quotaSlot: 1 },
      {
        name: KEY_QUOTA_INDEX,
        unique: true,
        partialFilterExpression: { quotaSlot: { $exists: true } },
      },
    ],
    [{ workspaceId: 1, _id: 1 }],
    [{ 'createdBy.id': 1 }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['createdBy'] },
  },
});
