import { z } from 'zod';
import { Id, Role, Timestamp } from '../../../contract/fields.ts';
import type { EventType } from '../../../contract/outgoing-event.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { MemberDocument } from '../../../models/member.model.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';

export const PUBLISH_MEMBER_EVENTS = 'workspaces.publishEvents';

/** The fields of a membership that its events show, as the outbox has them. */
export const MemberSnapshot = z.strictObject({
  userId: Id,
  role: Role,
  pending: z.boolean(),
  givenTo: z.string(),
  joinedAt: Timestamp,
});
export type MemberSnapshot = z.output<typeof MemberSnapshot>;

type Row = Pick<MemberDocument, 'userId' | 'pending' | 'givenTo' | 'joinedAt' | 'updatedAt'>;

/**
 * The context of the write that decides about a membership, and so tells of it. The events of a member stand in the row and in
 * the workspace's document: each is later than what was read of both, so that their times are in the order of the decisions.
 */
export const withMemberEvent = (
  change: ChangeContext,
  type: Extract<EventType, `member.${string}`>,
  { row, workspace }: { row: Row; workspace: Pick<StoredWorkspace, 'updatedAt'> },
  role: MemberSnapshot['role'],
): ChangeContext => ({
  ...change,
  after: new Date(Math.max(row.updatedAt.getTime(), workspace.updatedAt.getTime())),
  outgoing: { publish: PUBLISH_MEMBER_EVENTS, type, snapshot: snapshotOf(row, role) },
});

const snapshotOf = (
  { userId, pending, givenTo, joinedAt }: Row,
  role: MemberSnapshot['role'],
): MemberSnapshot => ({ userId, role, pending, givenTo, joinedAt: joinedAt.toISOString() });
