import { e2e } from '../../fixtures/e2e.ts';
import { Workspace } from '../../fixtures/workspace.ts';
import { type Person, registerVerified } from '../../helpers/people.ts';

const ROUNDS = 40;

const { server, owner: ada, stranger: bob } = e2e({ env: { WORKSPACES_PER_PERSON: 'off' } });

/** A workspace of Ada's, in which Bob has that role. */
async function workspaceWith(role: string): Promise<Workspace> {
  const workspace = await new Workspace(ada, () => server.url).create();
  expect((await workspace.add(ada, bob.email, role)).status).toBe(201);
  return workspace;
}

type Attempt = (by: Person, other: Person, workspace: Workspace) => ReturnType<Workspace['remove']>;
const demote: Attempt = (by, other, workspace) => workspace.changeRole(by, other.email, 'MEMBER');
const expel: Attempt = (by, other, workspace) => workspace.remove(by, other.email);
const leave: Attempt = (by, _other, workspace) => workspace.remove(by, by.email);

/** Who comes too late to be an OWNER still when asked for their role is refused for that: 403, or 404. */
const TOO_LATE = [403, 404];

describe.each<[string, Attempt, number]>([
  ['demote one another', demote, 200],
  ['remove one another', expel, 204],
  ['leave', leave, 204],
])('two owners who %s at once:', (_what, attempt, success) => {
  it(`one success and one 409 LAST_OWNER, ${ROUNDS} times over`, async () => {
    const refusals: (string | number)[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const workspace = await workspaceWith('OWNER');
      const attempts = [attempt(ada, bob, workspace), attempt(bob, ada, workspace)];
      const refused = (await Promise.all(attempts)).filter(({ status }) => status !== success);
      expect(refused).toHaveLength(1);
      refusals.push(...refused.map(({ status, body }) => (status === 409 ? body.code : status)));
      expect(await ownersOf(workspace)).toBe(1);
    }
    for (const refusal of refusals) expect(['LAST_OWNER', ...TOO_LATE]).toContain(refusal);
    const decided = refusals.filter((refusal) => refusal === 'LAST_OWNER');
    expect(decided.length).toBeGreaterThan(ROUNDS / 2);
  });
});

describe('a member who is removed and made OWNER at once', () => {
  it(`is gone when the removal succeeded, ${ROUNDS} times over`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const workspace = await workspaceWith('GUEST');
      const [removed, promoted] = await Promise.all([
        workspace.remove(ada, bob.email),
        workspace.changeRole(ada, bob.email, 'OWNER'),
      ]);
      expect([removed.status, [200, 404].includes(promoted.status)]).toEqual([204, true]);
      expect(await workspace.sees(bob)).toBe(404);
    }
  });
});

describe('a member who is made OWNER and removed at once, by an OWNER who leaves', () => {
  it(`is OWNER only when that was granted, ${ROUNDS} times over`, async () => {
    const cleo = await registerVerified(server.url, 'Cleo');
    for (let round = 0; round < ROUNDS; round++) {
      const workspace = await workspaceWith('OWNER');
      await workspace.add(ada, cleo.email, 'GUEST');
      const [promoted, removed] = await Promise.all([
        workspace.changeRole(ada, cleo.email, 'OWNER'),
        workspace.remove(ada, cleo.email),
        leave(ada, bob, workspace),
      ]);
      const role = (await workspace.members(bob)).find(({ id }) => id === cleo.id)?.role;
      if (role === 'OWNER') expect(promoted.status).toBe(200);
      if (removed.status === 204) expect(role).toBeUndefined();
      expect(await ownersOf(workspace)).toBeGreaterThan(0);
    }
  });
});

async function ownersOf(workspace: Workspace): Promise<number> {
  for (const person of [ada, bob]) {
    if ((await workspace.sees(person)) !== 200) continue;
    return (await workspace.members(person)).filter(({ role }) => role === 'OWNER').length;
  }
  return 0;
}
