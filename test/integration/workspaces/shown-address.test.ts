import { addMember } from '../../../services/workspaces/members/add-member.ts';
import { changeRole } from '../../../services/workspaces/members/change-role.ts';
import { listMembers } from '../../../services/workspaces/members/list-members.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { FakeDirectory, memberChange, newWorkspace, useWorkspaces } from './fixtures.ts';

const [OWNER, MALLORY, VICTIM] = [1, 2, 3] as const;
const VICTIMS = 'victim@example.com';
const GIVEN = 'user-2@example.com';
useWorkspaces();
let directory: FakeDirectory;
let workspaceId: number;
const change = (userId: number = OWNER) =>
  memberChange({ kind: 'person', userId, role: 'OWNER' }, directory);
const add = (userEmail: string, role: 'MEMBER' | 'OWNER' = 'MEMBER') =>
  addMember({ workspaceId, userEmail, role }, change());
const give = (userEmail: string, role: 'ADMIN' | 'OWNER' | 'GUEST', by: number = OWNER) =>
  changeRole({ workspaceId, userEmail, role }, change(by));
const shown = async () =>
  (await listMembers(workspaceId, { limit: 10 }, directory)).items.map(({ id, email }) => ({
    id,
    email,
  }));
const moveTo = (userId: number, email: string, emailVerified = false) =>
  directory.users.set(userId, { ...directory.add(userId), email, emailVerified });

beforeEach(async () => {
  directory = new FakeDirectory();
  directory.add(OWNER);
  directory.add(MALLORY);
  workspaceId = await newWorkspace(OWNER);
});

describe('a member who has taken an address without proof', () => {
  beforeEach(async () => {
    await add(GIVEN);
    moveTo(MALLORY, VICTIMS);
  });

  it('is listed under the address that the membership was given to', async () => {
    expect(await shown()).toContainEqual({ id: MALLORY, email: GIVEN });
  });

  it('gets no role by that address, and is not removed by it', async () => {
    await expect(give(VICTIMS, 'OWNER')).rejects.toMatchObject({ code: 404 });
    await expect(give(VICTIMS, 'GUEST')).rejects.toMatchObject({ code: 404 });
    const removal = removeMember({ workspaceId, userEmail: VICTIMS }, change());
    await expect(removal).rejects.toMatchObject({ code: 404 });
    await expect(add(VICTIMS, 'OWNER')).rejects.toMatchObject({ code: 409 });
  });

  it('is found by the address that the list shows', async () => {
    expect(await give(GIVEN, 'ADMIN')).toMatchObject({ membership: { userId: MALLORY } });
    expect(await removeMember({ workspaceId, userEmail: GIVEN }, change())).toMatchObject({
      userId: MALLORY,
    });
  });

  it('is found by the new address alone once that is verified', async () => {
    moveTo(MALLORY, VICTIMS, true);
    expect(await shown()).toContainEqual({ id: MALLORY, email: VICTIMS });
    await expect(give(GIVEN, 'ADMIN')).rejects.toMatchObject({ code: 404 });
    expect(await give(VICTIMS, 'ADMIN')).toMatchObject({ membership: { userId: MALLORY } });
  });

  it('may leave by the present address', async () => {
    const byMallory = memberChange({ kind: 'person', userId: MALLORY, role: 'MEMBER' }, directory);
    expect(await removeMember({ workspaceId, userEmail: VICTIMS }, byMallory)).toMatchObject({
      userId: MALLORY,
    });
  });

  it('gives way to the member who has proven the earlier address', async () => {
    directory.users.set(VICTIM, { ...directory.add(VICTIM), email: GIVEN });
    await add(GIVEN);
    expect(await give(GIVEN, 'ADMIN')).toMatchObject({ membership: { userId: VICTIM } });
  });
});

describe('the creator of a workspace, whose address was never verified', () => {
  beforeEach(async () => {
    await add(GIVEN, 'OWNER');
    moveTo(OWNER, VICTIMS);
  });

  it('can be demoted and removed, and gets no higher role by the address', async () => {
    expect(await give(VICTIMS, 'GUEST', MALLORY)).toMatchObject({ from: 'OWNER' });
    await expect(give(VICTIMS, 'ADMIN', MALLORY)).rejects.toMatchObject({ code: 404 });
    const removed = await removeMember({ workspaceId, userEmail: VICTIMS }, change(MALLORY));
    expect(removed).toMatchObject({ userId: OWNER });
  });
});
