import { z } from 'zod';
import { Id, Role, Timestamp } from '../../../contract/fields.ts';
import type { EventType } from '../../../contract/outgoing-event.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { MemberDocument } from '../../../models/member.model.ts';

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

type Row = Pick<MemberDocument, 'userId' | 'pending' | 'givenTo' | 'joinedAt'>;

/** The context of the write that decides about a membership, and so tells of it. */
export const withMemberEvent = (
  change: ChangeContext,
  type: Extract<EventType, `member.${string}`>,
  row: Row,
  role: MemberSnapshot['role'],
): ChangeContext => ({
  ...change,
  outgoing: { publish: PUBLISH_MEMBER_EVENTS, type, snapshot: snapshotOf(row, role) },
});

const snapshotOf = (
  { userId, pending, givenTo, joinedAt }: Row,
  role: MemberSnapshot['role'],
): MemberSnapshot => ({ userId, role, pending, givenTo, joinedAt: joinedAt.toISOString() });
