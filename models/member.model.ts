import type { Role } from '../contract/access-rule.ts';
import type { Via } from '../contract/audit.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A role in a member's row. The workspace's document stores the role OWNER. */
export type RowRole = Exclude<Role, 'OWNER'>;

/** A removal that has begun: the actor and the request of the removal. */
const removalFields = {
  at: field.date,
  actor,
  via: field.stringOf<Via>(),
  operation: field.string,
  requestId: field.nullable(field.string),
  /** The role that the removal takes away. Absent in removals that an older version has begun. */
  role: field.optional(field.stringOf<Role>()),
};
export type Removal = DocumentOf<typeof removalFields>;

const fields = {
  /** `workspace:user`, so that a user has one row in a workspace. */
  _id: field.string,
  workspaceId: field.number,
  userId: field.number,
  /** The role while the user is not OWNER; null for a row without a role. */
  role: field.nullable(field.stringOf<RowRole>()),
  /** Whether the membership has no effect until the address `givenTo` is verified. */
  pending: field.boolean,
  /** The address to which the membership was given, in the form of `emailKey`. */
  givenTo: field.string,
  /** The beginning of the membership. The row of a user who is added again gets a later time. */
  joinedAt: field.date,
  /** The id that the `Idempotency-Key` of the request which gave the membership has reserved. */
  reservedId: field.optional(field.number),
  /** Set while a removal of the member is in flight or interrupted. */
  removal: field.optional(field.object(removalFields)),
  /** The id of the invitation whose acceptance gives the row its role. The row has no role until then. */
  invitationId: field.optional(field.number),
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
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { remove: ['userId'], rename: ['removal.actor'] },
  },
});

export const memberId = (workspaceId: number, userId: number): string => `${workspaceId}:${userId}`;
