import { createWorkspace } from '../../../services/workspaces/create-workspace.ts';
import { workspaceIdsOf } from '../../../services/workspaces/list-workspaces.ts';
import { addMember } from '../../../services/workspaces/members/add-member.ts';
import { listMembers } from '../../../services/workspaces/members/list-members.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { roleOf } from '../../../services/workspaces/members/role-of.ts';
import { Acquaintances, testDatabase } from './database.ts';

const OWNER = 1;
const BOB = 2;
const byOwner = { kind: 'person', userId: OWNER, role: 'OWNER' } as const;
const people = new Acquaintances();
const touching = () => undefined;
let stop: () => Promise<void>;
let workspaceId: number;
beforeAll(async () => {
  stop = await testDatabase();
  people.add(OWNER);
}, 60_000);
beforeEach(async () => {
  const actor = { type: 'person', id: OWNER, name: 'Owner' } as const;
  workspaceId = (await createWorkspace('Workspace', OWNER, actor)).id;
  people.add(BOB, false);
});
afterAll(() => stop());

const add = (userEmail: string) =>
  addMember({ workspaceId, userEmail, role: 'MEMBER' }, byOwner, people, touching);
const bob = () => people.users.get(BOB) ?? people.add(BOB);

describe('a membership that waits for its address', () => {
  it('counts at the next question when the news of the verification was lost', async () => {
    await add(bob().email);
    expect(await roleOf(BOB, workspaceId, people)).toEqual({ role: null, confirmed: [] });
    people.add(BOB, true);
    expect((await workspaceIdsOf(BOB, people)).confirmed).toEqual([workspaceId]);
    expect(await roleOf(BOB, workspaceId, people)).toEqual({ role: 'MEMBER', confirmed: [] });
  });

  it('does not count for an address that its user took afterwards', async () => {
    const given = bob().email;
    await add(given);
    people.users.set(BOB, { ...bob(), email: 'elsewhere@example.com', emailVerified: true });
    expect((await roleOf(BOB, workspaceId, people)).role).toBeNull();
    expect((await listMembers(workspaceId, { limit: 10 }, people)).items).toContainEqual(
      expect.objectContaining({ id: BOB, email: given, pending: true }),
    );
    await removeMember(workspaceId, given, byOwner, people, touching);
    expect((await listMembers(workspaceId, { limit: 10 }, people)).items).toHaveLength(1);
  });

  it('can be given anew to the address that its user has now', async () => {
    await add(bob().email);
    people.users.set(BOB, { ...bob(), email: 'elsewhere@example.com', emailVerified: true });
    await add('elsewhere@example.com');
    expect((await roleOf(BOB, workspaceId, people)).role).toBe('MEMBER');
    await expect(add('elsewhere@example.com')).rejects.toThrow('already');
  });
});
