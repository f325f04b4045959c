import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';

const ROUNDS = 40;

const { server, owner: ada, stranger: bob } = e2e({ env: { WORKSPACES_PER_PERSON: 'off' } });

/** A workspace of Ada's and Bob's, both OWNER. */
async function shared(): Promise<number> {
  const id = await createWorkspace(ada);
  const query = { userEmail: bob.email, role: 'OWNER' };
  expect((await ada.call('POST', `/workspaces/${id}/users`, { query })).status).toBe(201);
  return id;
}

type Attempt = (by: Person, other: Person, id: number) => ReturnType<Person['call']>;
const demote: Attempt = (by, other, id) =>
  by.call('PUT', `/workspaces/${id}/users/role`, {
    query: { userEmail: other.email, role: 'MEMBER' },
  });
const expel: Attempt = (by, other, id) =>
  by.call('DELETE', `/workspaces/${id}/users`, { query: { userEmail: other.email } });
const leave: Attempt = (by, _other, id) =>
  by.call('DELETE', `/workspaces/${id}/users`, { query: { userEmail: by.email } });

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
      const id = await shared();
      const answers = await Promise.all([attempt(ada, bob, id), attempt(bob, ada, id)]);
      const refused = answers.filter(({ status }) => status !== success);
      expect(refused).toHaveLength(1);
      refusals.push(...refused.map(refusalOf));
      expect(await ownersOf(id)).toBe(1);
    }
    for (const refusal of refusals) expect(['LAST_OWNER', ...TOO_LATE]).toContain(refusal);
    const decided = refusals.filter((refusal) => refusal === 'LAST_OWNER');
    expect(decided.length).toBeGreaterThan(ROUNDS / 2);
  });
});

const refusalOf = ({ status, body }: { status: number; body: unknown }): string | number =>
  status === 409 ? (body as ProblemBody).code : status;

describe('a member who is removed and made OWNER at once', () => {
  it(`is gone when the removal succeeded, ${ROUNDS} times over`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const id = await createWorkspace(ada);
      const path = `/workspaces/${id}/users`;
      const query = { userEmail: bob.email };
      await ada.call('POST', path, { query: { ...query, role: 'GUEST' } });
      const [removed, promoted] = await Promise.all([
        ada.call('DELETE', path, { query }),
        ada.call('PUT', `${path}/role`, { query: { ...query, role: 'OWNER' } }),
      ]);
      expect([removed.status, [200, 404].includes(promoted.status)]).toEqual([204, true]);
      expect((await bob.call('GET', `/workspaces/${id}`)).status).toBe(404);
    }
  });
});

describe('a member who is made OWNER and removed at once, by an OWNER who leaves', () => {
  it(`is OWNER only when that was granted, ${ROUNDS} times over`, async () => {
    const cleo = await registerVerified(server.url, 'Cleo');
    for (let round = 0; round < ROUNDS; round++) {
      const id = await shared();
      const path = `/workspaces/${id}/users`;
      const query = { userEmail: cleo.email };
      await ada.call('POST', path, { query: { ...query, role: 'GUEST' } });
      const [promoted, removed] = await Promise.all([
        ada.call('PUT', `${path}/role`, { query: { ...query, role: 'OWNER' } }),
        ada.call('DELETE', path, { query }),
        leave(ada, bob, id),
      ]);
      const role = await roleIn(id, cleo);
      if (role === 'OWNER') expect(promoted.status).toBe(200);
      if (removed.status === 204) expect(role).toBeUndefined();
      expect(await ownersOf(id)).toBeGreaterThan(0);
    }
  });
});

/** Somebody's role in a workspace of Bob's. */
async function roleIn(id: number, who: Person): Promise<string | undefined> {
  const path = `/workspaces/${id}/users`;
  const { body } = await bob.call<{ id: number; role: string }[]>('GET', path);
  return body.find((member) => member.id === who.id)?.role;
}

async function ownersOf(id: number): Promise<number> {
  for (const person of [ada, bob]) {
    const { status, body } = await person.call<{ role: string }[]>(
      'GET',
      `/workspaces/${id}/users`,
    );
    if (status === 200) return body.filter(({ role }) => role === 'OWNER').length;
  }
  return 0;
}
