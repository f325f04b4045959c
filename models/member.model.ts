import type { Role } from '../contract/access-rule.ts';
import type { Via } from '../contract/audit.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A role that a member's row can hold. The role OWNER stands in the workspace's document. */
export type RowRole = Exclude<Role, 'OWNER'>;

/** A removal that has begun: who removes the member, and by which request. */
const removalFields = {
  at: field.date,
  actor,
  via: field.stringOf<Via>(),
  operation: field.string,
  requestId: field.nullable(field.string),
};
export type Removal = DocumentOf<typeof removalFields>;

const fields = {
  /** `workspace:user`, so that a user is in a workspace once. */
  _id: field.string,
  workspaceId: field.number,
  userId: field.number,
  /** The role while the user is not OWNER; null for none. */
  role: field.nullable(field.stringOf<RowRole>()),
  /** Whether the membership has no effect until the address `givenTo` is verified. */
  pending: field.boolean,
  /** The address that the membership was given to, as `emailKey` writes addresses. */
  givenTo: field.string,
  /** When the membership began. A user who is added again gets another row. */
  joinedAt: field.date,
  /** Set while a removal of the member is under way, or was cut off. */
  removal: field.optional(field.object(removalFields)),
  ...changedFields,
};
export type MemberDocument = DocumentOf<typeof fields>;

export const MemberModel = defineModel({
  name: 'Member',
  collection: 'members',
  fields,
  indexes: [
    [{ workspaceId: 1, userId: 1 }],
    [{ userId: 1, pending: 1, workspaceId: 1 }],
    [{ workspaceId: 1, givenTo: 1 }],
    [{ 'removal.at': 1 }, { partialFilterExpression: { 'removal.at': { $exists: true } } }],
    outboxIndex,
  ],
});

export const memberId = (workspaceId: number, userId: number): string => `${workspaceId}:${userId}`;
