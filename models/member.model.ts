import type { Role } from '../contract/access-rule.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A role that a member's row can hold. The role OWNER stands in the workspace's document. */
export type RowRole = Exclude<Role, 'OWNER'>;

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
  joinedAt: field.date,
  updatedAt: field.date,
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
  ],
});

export const memberId = (workspaceId: number, userId: number): string => `${workspaceId}:${userId}`;
