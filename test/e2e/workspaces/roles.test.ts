import { e2e } from '../../fixtures/e2e.ts';
import { mailTo, type Person, register, registerVerified } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, freshWorkspace: team } = e2e();

const verify = async (who: Person) => {
  const { token } = await mailTo(server.url, who.email);
  await who.call('POST', '/auth/email/verify', { body: { token } });
};

describe('changing a role', () => {
  it('answers the membership and takes effect for the next request', async () => {
    const bob = await team.member('GUEST');
    const rename = () => bob.call('PUT', team.path, { query: { name: 'Renamed' } });
    expect((await rename()).status).toBe(403);
    const { status, body } = await team.changeRole(team.owner, bob.email, 'ADMIN');
    expect([status, body.role]).toEqual([200, 'ADMIN']);
    expect((await rename()).status).toBe(200);
    await team.changeRole(team.owner, bob.email, 'GUEST');
    expect((await rename()).status).toBe(403);
  });

  it('to the same one changes nothing', async () => {
    const bob = await team.member('GUEST');
    const { body: first } = await team.changeRole(team.owner, bob.email, 'AGENT');
    const { status, body } = await team.changeRole(team.owner, bob.email, 'AGENT');
    expect([status, body]).toEqual([200, first]);
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(body.joinedAt));
  });

  it('of oneself is 403, for an OWNER as well', async () => {
    const second = await team.member('OWNER');
    expect((await team.changeRole(second, second.email.toUpperCase(), 'ADMIN')).status).toBe(403);
    expect((await team.changeRole(second, second.email, 'OWNER')).status).toBe(403);
    const guest = await team.member('GUEST');
    expect((await team.changeRole(guest, guest.email, 'ADMIN')).status).toBe(403);
  });

  it('gives and takes OWNER by an OWNER only', async () => {
    const admin = await team.member('ADMIN');
    const other = await team.member('MEMBER');
    expect((await team.changeRole(admin, other.email, 'OWNER')).status).toBe(403);
    expect((await team.changeRole(admin, team.owner.email, 'ADMIN')).status).toBe(403);
    expect((await team.changeRole(admin, other.email, 'ADMIN')).status).toBe(200);
    expect((await team.changeRole(team.owner, other.email, 'OWNER')).status).toBe(200);
    expect((await team.changeRole(team.owner, other.email, 'MEMBER')).status).toBe(200);
    expect(await team.roleOf(other)).toBe('MEMBER');
  });

  it('is 404 for who is no member', async () => {
    const { email } = await registerVerified(server.url);
    expect((await team.changeRole(team.owner, email, 'GUEST')).status).toBe(404);
    expect((await team.changeRole(team.owner, 'nobody@example.com', 'GUEST')).status).toBe(404);
  });
});

describe('a member whose address is not verified', () => {
  it.each(['MEMBER', 'OWNER'])('as %s is pending until it is', async (role) => {
    const bob = await register(server.url, 'Bob');
    const waiting = async () =>
      (await bob.call<{ pendingMemberships: number }>('GET', '/auth/me')).body.pendingMemberships;
    expect(await waiting()).toBe(0);
    const { status, headers } = await team.add(team.owner, bob.email, role);
    expect([status, headers['x-membership-pending']]).toEqual([201, 'true']);
    const changed = await team.changeRole(team.owner, bob.email, role);
    expect([changed.status, changed.headers['x-membership-pending']]).toEqual([200, 'true']);
    expect(await waiting()).toBe(1);
    expect(await team.sees(bob)).toBe(404);
    expect((await bob.call('GET', '/workspaces')).body).toEqual([]);
    expect(await team.members()).toContainEqual(
      expect.objectContaining({ id: bob.id, email: bob.email, role, pending: true }),
    );
    await verify(bob);
    // Every process hears of it within a second.
    await waitFor('the membership', async () => (await team.sees(bob)) === 200);
    expect((await bob.call('GET', '/workspaces')).body).toEqual([
      expect.objectContaining({ id: team.id, role }),
    ]);
    expect(await team.members()).toContainEqual(
      expect.objectContaining({ id: bob.id, role, pending: false }),
    );
    expect(await waiting()).toBe(0);
    const confirmed = await team.changeRole(team.owner, bob.email, role);
    expect(confirmed.headers['x-membership-pending']).toBe('false');
  });

  it('is no owner who lets the last one go', async () => {
    const bob = await register(server.url, 'Bob');
    await team.add(team.owner, bob.email, 'OWNER');
    const { status, body } = await team.remove(team.owner, team.owner.email);
    expect([status, body.code]).toEqual([409, 'LAST_OWNER']);
  });

  it('can be given another role or removed before', async () => {
    const bob = await register(server.url, 'Bob');
    await team.add(team.owner, bob.email, 'OWNER');
    expect((await team.changeRole(team.owner, bob.email, 'GUEST')).status).toBe(200);
    expect((await team.add(team.owner, bob.email, 'ADMIN')).status).toBe(409);
    expect((await team.remove(team.owner, bob.email)).status).toBe(204);
    await verify(bob);
    expect(await team.sees(bob)).toBe(404);
  });
});
