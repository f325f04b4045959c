import { MemberModel } from '../../../models/member.model.ts';
import { listWorkspaceIds } from '../../../services/workspaces/list-workspaces.ts';
import { addMember } from '../../../services/workspaces/members/add-member.ts';
import { confirmMemberships } from '../../../services/workspaces/members/confirm-memberships.ts';
import { findRole } from '../../../services/workspaces/members/find-role.ts';
import { listMembers } from '../../../services/workspaces/members/list-members.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { workspaces } from '../../../services/workspaces/workspaces.store.ts';
import { FakeDirectory, memberChange, newWorkspace, useWorkspaces } from './fixtures.ts';

const OWNER = 1;
const BOB = 2;
const directory = new FakeDirectory();
const authority = { kind: 'person', userId: OWNER, role: 'OWNER' } as const;
const change = memberChange(authority, directory);
useWorkspaces();
let workspaceId: number;
beforeAll(async () => {
  directory.add(OWNER);
});
beforeEach(async () => {
  workspaceId = await newWorkspace(OWNER);
  directory.add(BOB, false);
});

const add = (userEmail: string) => addMember({ workspaceId, userEmail, role: 'MEMBER' }, change);
const bob = () => directory.users.get(BOB) ?? directory.add(BOB);

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
    const changeWhere = workspaces.changeWhere.bind(workspaces);
    jest.spyOn(workspaces, 'changeWhere').mockImplementationOnce(async (...change) => {
      await MemberModel.updateOne({ workspaceId, userId: BOB }, { givenTo: 'new@example.com' });
      return changeWhere(...change);
    });
    expect(await confirmMemberships(BOB, directory)).toEqual([]);
    expect(await MemberModel.findOne({ workspaceId, userId: BOB }).lean()).toMatchObject({
      pending: true,
      revision: 1,
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
