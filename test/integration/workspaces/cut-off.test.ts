import type { Role } from '../../../contract/access-rule.ts';
import { Problem } from '../../../contract/problem.ts';
import { listWorkspaces } from '../../../services/workspaces/list-workspaces.ts';
import { changeRole } from '../../../services/workspaces/members/change-role.ts';
import { findRole } from '../../../services/workspaces/members/find-role.ts';
import { listMembers } from '../../../services/workspaces/members/list-members.ts';
import { ADA, BOB, CUT_OFF, cutOffAfter, emailOf, newWorkspace, useBob } from './fixtures.ts';

const { directory, change: means, add, give, remove: leave, roleIn } = useBob();

/** What the lists say of somebody: they and the role that is asked for are never of two minds. */
async function listedRole(workspaceId: number): Promise<Role | null> {
  const position = { limit: 1000 };
  const listed = (await listMembers(workspaceId, position, directory)).items.find(
    ({ id, pending }) => id === BOB && !pending,
  );
  const own = (await listWorkspaces(BOB, position, directory)).page.items.find(
    ({ id }) => id === workspaceId,
  );
  expect(own?.role).toBe(listed?.role);
  return listed?.role ?? null;
}

type Change = (workspaceId: number) => Promise<unknown>;
const to =
  (role: Role): Change =>
  (workspaceId) =>
    give(workspaceId, role);
const join =
  (role: Role): Change =>
  (workspaceId) =>
    add(workspaceId, role);
const verify: Change = async (workspaceId) => {
  directory.add(BOB, true);
  return findRole(BOB, workspaceId, directory);
};

interface Case {
  what: string;
  /** Bob's role at first; pending when his address is not verified. */
  before: Role | null;
  pending?: boolean;
  change: Change;
  after: Role | null;
}
const cases: Case[] = [
  { what: 'adding a MEMBER', before: null, change: join('MEMBER'), after: 'MEMBER' },
  { what: 'adding an OWNER', before: null, change: join('OWNER'), after: 'OWNER' },
  { what: 'GUEST to ADMIN', before: 'GUEST', change: to('ADMIN'), after: 'ADMIN' },
  { what: 'GUEST to OWNER', before: 'GUEST', change: to('OWNER'), after: 'OWNER' },
  { what: 'OWNER to GUEST', before: 'OWNER', change: to('GUEST'), after: 'GUEST' },
  { what: 'removing a MEMBER', before: 'MEMBER', change: leave, after: null },
  { what: 'removing an OWNER', before: 'OWNER', change: leave, after: null },
  { what: 'verifying a GUEST', before: 'GUEST', pending: true, change: verify, after: 'GUEST' },
  { what: 'verifying an OWNER', before: 'OWNER', pending: true, change: verify, after: 'OWNER' },
  { what: 'removing who waits', before: 'OWNER', pending: true, change: leave, after: null },
];

describe.each(cases)('$what', ({ before, pending = false, change, after }) => {
  it('is done or not done wherever it is cut off, and done by the next try', async () => {
    for (let writes = 0, done = false; !done; writes++) {
      directory.add(BOB, !pending);
      const workspaceId = await newWorkspace(ADA);
      if (before) await add(workspaceId, before);
      cutOffAfter(writes);
      done = await change(workspaceId).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe(CUT_OFF);
          return false;
        },
      );
      jest.restoreAllMocks();
      const role = await roleIn(workspaceId);
      expect([pending ? null : before, after]).toContain(role);
      expect(await listedRole(workspaceId)).toBe(role);
      await change(workspaceId).catch((error) => expect(error).toBeInstanceOf(Problem));
      expect(await roleIn(workspaceId)).toBe(after);
      expect(await listedRole(workspaceId)).toBe(after);
      expect(writes).toBeLessThan(9);
    }
  });
});

describe('creating a workspace', () => {
  it('is done by its first write: it has an owner and is in their list', async () => {
    directory.add(BOB);
    cutOffAfter(1);
    await expect(newWorkspace(ADA)).rejects.toThrow(CUT_OFF);
    jest.restoreAllMocks();
    const { page } = await listWorkspaces(ADA, { limit: 1000 }, directory);
    const id = page.items.at(-1)?.id ?? 0;
    expect((await listMembers(id, { limit: 10 }, directory)).items).toMatchObject([
      { id: ADA, role: 'OWNER', pending: false },
    ]);
    await add(id, 'OWNER');
    const byBob = { kind: 'person', userId: BOB, role: 'OWNER' } as const;
    await changeRole(
      { workspaceId: id, userEmail: emailOf(ADA), role: 'GUEST' },
      { ...means, authority: byBob },
    );
    expect((await findRole(ADA, id, directory)).role).toBe('GUEST');
  });
});
