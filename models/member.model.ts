import { type Model, model, Schema } from 'mongoose';
import type { Role } from '../contract/access-rule.ts';

/** A role that a member's row can hold. The role OWNER stands in the workspace's document. */
export type RowRole = Exclude<Role, 'OWNER'>;

export interface MemberDocument {
  /** `workspace:user`, so that a user is in a workspace once. */
  _id: string;
  workspaceId: number;
  userId: number;
  /** The role while the user is not OWNER; null for none. */
  role: RowRole | null;
  /** Whether the membership has no effect until the address `givenTo` is verified. */
  pending: boolean;
  /** The address that the membership was given to, as `emailKey` writes addresses. */
  givenTo: string;
  joinedAt: Date;
  updatedAt: Date;
}

const schema = new Schema<MemberDocument>(
  {
    _id: String,
    workspaceId: Number,
    userId: Number,
    role: String,
    pending: Boolean,
    givenTo: String,
    joinedAt: Date,
    updatedAt: Date,
  },
  { collection: 'members', versionKey: false },
);
schema.index({ workspaceId: 1, userId: 1 });
schema.index({ userId: 1, pending: 1, workspaceId: 1 });
schema.index({ workspaceId: 1, givenTo: 1 });

export const MemberModel: Model<MemberDocument> = model<MemberDocument>('Member', schema);

export const memberId = (workspaceId: number, userId: number): string => `${workspaceId}:${userId}`;
