import { InvitationModel } from '../../../models/invitation.model.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { acceptInvitation } from '../../../services/workspaces/invitations/accept-invitation.ts';
import { completeAcceptance } from '../../../services/workspaces/invitations/complete-acceptance.ts';
import { invitations } from '../../../services/workspaces/invitations/invitations.store.ts';
import { invite } from '../../../services/workspaces/invitations/invite.ts';
import { addMember } from '../../../services/workspaces/members/add-member.ts';
import { SYSTEM } from '../../../services/workspaces/members/authority.ts';
import { findRole } from '../../../services/workspaces/members/find-role.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';
import { CUT_OFF, cutOffAfter, FakeDirectory, memberChange, newWorkspace } from './fixtures.ts';

const [ADA, BOB] = [1, 2] as const;
const email = 'user-2@example.com';
const directory = new FakeDirectory();
directory.add(ADA);
const bob = directory.add(BOB);

useEmptyDatabase([WorkspaceModel, MemberModel, InvitationModel]);
let workspaceId: number;
beforeEach(async () => {
  workspaceId = await newWorkspace(ADA);
});
afterEach(() => jest.restoreAllMocks());

const call = {
  directory,
  roleOfAccount: async () => null,
  context: changeContext({
    actor: { type: 'person', id: ADA, name: 'Ada' },
    operation: 'workspaces.test',
    audit: { resource: 'invitation' },
  }),
};
const inviteBob = async (role: 'OWNER' | 'ADMIN' | 'GUEST') => {
  const by = { kind: 'person', userId: ADA, role: 'OWNER' } as const;
  const { id } = await invite({ workspaceId, email, role }, { ...call, authority: by, quota: 9 });
  return id;
};
const getInvitation = async (id: number) => {
  const found = await invitations.find(id);
  if (!found) throw new Error(`there is no invitation ${id}`);
  return found;
};
const accept = async (id: number) =>
  acceptInvitation(await getInvitation(id), { user: bob, assertRight: () => undefined }, call);
const roleNow = async () => (await findRole(BOB, workspaceId, directory)).role;

interface Completion {
  call: string;
  params: { userId: number };
}
/** Does what the outbox of the invitation asks for, as after a restart. */
async function recover(id: number): Promise<void> {
  const stored = await InvitationModel.collection.findOne({ _id: id as never });
  for (const { call: action, params } of (stored?.outbox ?? []) as Completion[]) {
    if (action !== 'workspaces.completeAcceptances') continue;
    await completeAcceptance(await getInvitation(id), params.userId, call.context);
  }
}

describe.each(['OWNER', 'ADMIN', 'GUEST'] as const)('an acceptance with the role %s', (role) => {
  it.each([0, 1, 2, 3, 4])('is whole after a process ended after %i writes', async (writes) => {
    const id = await inviteBob(role);
    cutOffAfter(writes);
    await accept(id).catch((error: Error) => expect(error.message).toBe(CUT_OFF));
    jest.restoreAllMocks();
    await recover(id);
    const { status } = await getInvitation(id);
    expect([status, await roleNow()]).toEqual(
      status === 'ACCEPTED' ? ['ACCEPTED', role] : ['PENDING', null],
    );
    if (status === 'PENDING') await accept(id);
    expect(await roleNow()).toBe(role);
  });

  it('does not undo a later removal when its outbox is delivered again', async () => {
    const id = await inviteBob(role);
    await accept(id);
    await removeMember({ workspaceId, userEmail: email }, memberChange(SYSTEM, directory));
    await recover(id);
    expect(await roleNow()).toBeNull();
  });

  it('gives one membership when it meets a direct addition', async () => {
    const id = await inviteBob(role);
    const added = addMember(
      { workspaceId, userEmail: email, role: 'AGENT' },
      memberChange(SYSTEM, directory),
    );
    await Promise.allSettled([accept(id), added]);
    await recover(id);
    expect(await MemberModel.countDocuments({ userId: BOB, invitationId: null })).toBe(1);
    expect(['AGENT', role]).toContain(await roleNow());
  });
});

test('a quota of open invitations holds for invitations at once, and expired ones make room', async () => {
  const by = { kind: 'person', userId: ADA, role: 'OWNER' } as const;
  const inviteAt = (n: number) =>
    invite(
      { workspaceId, email: `guest-${n}@example.com`, role: 'GUEST' },
      { ...call, authority: by, quota: 3 },
    );
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(inviteAt));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await InvitationModel.updateMany({}, { expiresAt: new Date(0) });
  await inviteAt(7);
  const statuses = (await InvitationModel.find().lean()).map(({ status }) => status);
  expect(statuses.sort()).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED', 'PENDING']);
});

test('invitations of one address at once are one invitation', async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(() => inviteBob('GUEST')));
  expect(new Set(ids).size).toBe(1);
  expect((await getInvitation(ids[0] ?? 0)).tokenVersion).toBe(4);
});
