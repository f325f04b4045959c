import type { Role } from '../../../contract/access-rule.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { listWorkspaceIds } from '../../../services/workspaces/list-workspaces.ts';
import { addMember } from '../../../services/workspaces/members/add-member.ts';
import {
  activateOwners,
  confirmMemberships,
} from '../../../services/workspaces/members/confirm-memberships.ts';
import { findRole } from '../../../services/workspaces/members/find-role.ts';
import { listMembers } from '../../../services/workspaces/members/list-members.ts';
import { members } from '../../../services/workspaces/members/members.store.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { ADA, BOB, CUT_OFF, cutOffAfter, newWorkspace, useBob } from './fixtures.ts';

const { directory, change } = useBob();
let workspaceId: number;
beforeEach(async () => {
  workspaceId = await newWorkspace(ADA);
  directory.add(BOB, false);
});

const add = (userEmail: string, role: Role = 'MEMBER') =>
  addMember({ workspaceId, userEmail, role }, change);
const bob = () => directory.users.get(BOB) ?? directory.add(BOB);

/** Does something between the read of the address and the write of the row. */
function beforeActivation(doing: () => Promise<unknown>): void {
  const changeWhere = members.changeWhere.bind(members);
  jest.spyOn(members, 'changeWhere').mockImplementationOnce(async (...change) => {
    await doing();
    return changeWhere(...change);
  });
}

describe('a membership that waits for its address', () => {
  it('counts at the next question when the news of the verification was lost', async () => {
    await add(bob().email);
    expect(await findRole(BOB, workspaceId, directory)).toEqual({ role: null, confirmed: [] });
    directory.add(BOB, true);
    expect((await listWorkspaceIds(BOB, directory)).confirmed).toEqual([workspaceId]);
    expect(await findRole(BOB, workspaceId, directory)).toEqual({ role: 'MEMBER', confirmed: [] });
  });

  it('does not count for an address that its user took afterwards', async () => {
    const given = bob().email;
    await add(given);
    directory.users.set(BOB, { ...bob(), email: 'elsewhere@example.com', emailVerified: true });
    expect((await findRole(BOB, workspaceId, directory)).role).toBeNull();
    expect((await listMembers(workspaceId, { limit: 10 }, directory)).items).toContainEqual(
      expect.objectContaining({ id: BOB, email: given, pending: true }),
    );
    await removeMember({ workspaceId, userEmail: given }, change);
    expect((await listMembers(workspaceId, { limit: 10 }, directory)).items).toHaveLength(1);
  });

  it('stays pending when it is given to another address while it is activated', async () => {
    await add(bob().email);
    directory.add(BOB, true);
    beforeActivation(() =>
      MemberModel.updateOne({ workspaceId, userId: BOB }, { givenTo: 'new@example.com' }).exec(),
    );
    expect(await confirmMemberships(BOB, directory)).toEqual([]);
    expect(await MemberModel.findOne({ workspaceId, userId: BOB }).lean()).toMatchObject({
      pending: true,
      revision: 1,
    });
  });

  it('makes nobody OWNER by an address that its user had before', async () => {
    await add(bob().email);
    directory.add(BOB, true);
    beforeActivation(async () => {
      directory.users.set(BOB, { ...bob(), email: 'new@example.com', emailVerified: false });
      await add('new@example.com', 'OWNER');
    });
    expect(await confirmMemberships(BOB, directory)).toEqual([]);
    await activateOwners([{ workspaceId, userId: BOB }]);
    expect(await WorkspaceModel.findById(workspaceId).lean()).toMatchObject({
      ownerIds: [ADA],
      pendingOwnerIds: [BOB],
    });
    expect((await findRole(BOB, workspaceId, directory)).role).toBeNull();
  });

  it('makes its user OWNER after a crash between the writes of both documents', async () => {
    await add(bob().email, 'OWNER');
    directory.add(BOB, true);
    cutOffAfter(1);
    await expect(confirmMemberships(BOB, directory)).rejects.toThrow(CUT_OFF);
    jest.restoreAllMocks();
    const row = await MemberModel.collection.findOne({ workspaceId, userId: BOB });
    expect(row).toMatchObject({
      pending: false,
      outbox: [{ call: 'workspaces.activateOwners', params: { workspaceId, userId: BOB } }],
    });
    await activateOwners([{ workspaceId, userId: BOB }]);
    await activateOwners([{ workspaceId, userId: BOB }]);
    expect(await WorkspaceModel.findById(workspaceId).lean()).toMatchObject({
      ownerIds: [ADA, BOB],
      pendingOwnerIds: [],
    });
  });

  it('is active for each of two processes that activate it at once', async () => {
    await add(bob().email);
    directory.add(BOB, true);
    const both = [confirmMemberships(BOB, directory), confirmMemberships(BOB, directory)];
    expect(await Promise.all(both)).toEqual([[workspaceId], [workspaceId]]);
  });

  it('can be given anew to the address that its user has now', async () => {
    await add(bob().email);
    directory.users.set(BOB, { ...bob(), email: 'elsewhere@example.com', emailVerified: true });
    await add('elsewhere@example.com');
    expect((await findRole(BOB, workspaceId, directory)).role).toBe('MEMBER');
    await expect(add('elsewhere@example.com')).rejects.toThrow('already');
  });
});
