import type { QueryFilter } from 'mongoose';
import { emailKey } from '../../../contract/fields.ts';
import { ascendingBy, type PageOrder } from '../../../contract/page-order.ts';
import { type Position, positionOf } from '../../../contract/page-position.ts';
import { type Page, pageFrom } from '../../../contract/pages.ts';
import { readRows } from '../../../mixins/database/read-page.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/invitation.model.ts';
import type { UserDirectory } from '../members/user-directory.ts';
import { invitations, type StoredInvitation } from './invitations.store.ts';
import { type Invitation, showerOf } from './show-invitation.ts';

/** The invitations that the filter matches, by id. */
export async function listInvitations(
  filter: QueryFilter<InvitationDocument>,
  position: Position,
  directory: UserDirectory,
): Promise<Page<Invitation>> {
  const order: PageOrder<StoredInvitation> = ascendingBy('_id');
  const { projection } = invitations;
  const rows = await readRows(InvitationModel, { filter, order, position, projection });
  const show = await showerOf(rows.slice(0, position.limit), directory);
  const { items, after } = pageFrom(rows, position.limit, show, order.cursorOf);
  return { items: items.filter((item) => item !== null), after };
}

/** The invitations of the person's address; none while the address is not verified. */
export async function listReceived(
  userId: number,
  position: Position,
  directory: UserDirectory,
): Promise<Page<Invitation>> {
  positionOf(position); // refuses a wrong cursor for every caller
  const user = (await directory.byIds([userId])).get(userId);
  if (!user?.emailVerified) return { items: [], after: null };
  return listInvitations({ emailKey: emailKey(user.email) }, position, directory);
}

/** The invitations that a person has made in these workspaces. */
export const listCreated = (
  userId: number,
  workspaceIds: readonly number[],
  position: Position,
  directory: UserDirectory,
): Promise<Page<Invitation>> =>
  listInvitations(
    {
      'invitedBy.id': userId,
      'invitedBy.type': 'person',
      workspaceId: { $in: [...workspaceIds] },
    },
    position,
    directory,
  );
