import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import { type MemberDocument, MemberModel, memberId } from '../../../models/member.model.ts';
import { noMember } from '../workspaces.problems.ts';

export type StoredMember = Readonly<Shown<MemberDocument>>;

export const members = changesOf(MemberModel, {
  missing: noMember,
  resourceOf: ({ userId, workspaceId }) => ({ id: userId, workspaceId }),
  incarnation: 'joinedAt',
});

export const rowOf = (workspaceId: number, userId: number): Promise<StoredMember | null> =>
  members.find(memberId(workspaceId, userId));

/** The row of an OWNER. The workspace's document stores the OWNER's role. */
export const ownerRow = (workspaceId: number, userId: number, joinedAt: Date) => ({
  _id: memberId(workspaceId, userId),
  workspaceId,
  userId,
  role: null,
  pending: false,
  givenTo: '',
  joinedAt,
  updatedAt: joinedAt,
});

/** The context of a write that precedes or follows the write whose audit entry records the change. */
export const unaudited = (change: ChangeContext): ChangeContext => ({
  ...change,
  audit: { none: 'another write of the same change is recorded' },
});
