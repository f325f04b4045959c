import { e2e } from '../../fixtures/e2e.ts';

const { stranger, freshWorkspace: team } = e2e();

const WAYS: [string, 'remove' | 'removeByBody'][] = [
  ['by the query', 'remove'],
  ['by the body', 'removeByBody'],
];

describe('removing a member', () => {
  it.each(WAYS)('%s is 204 without a byte, and takes effect at once', async (_how, how) => {
    const bob = await team.member('MEMBER');
    expect(await team.sees(bob)).toBe(200);
    const { status, text } = await team[how](team.owner, bob.email);
    expect([status, text]).toEqual([204, '']);
    expect(await team.sees(bob)).toBe(404);
    expect((await team[how](team.owner, bob.email)).status).toBe(404);
    expect((await team.add(team.owner, bob.email, 'GUEST')).status).toBe(201);
    expect(await team.sees(bob)).toBe(200);
  });

  it.each(WAYS)(
    '%s: everyone may leave, and nobody below ADMIN removes another',
    async (_how, how) => {
      const other = await team.member('GUEST');
      for (const role of ['ADMIN', 'MEMBER', 'AGENT', 'GUEST']) {
        const member = await team.member(role);
        if (role !== 'ADMIN') expect((await team[how](member, other.email)).status).toBe(403);
        expect((await team[how](member, member.email.toUpperCase())).status).toBe(204);
        expect(await team.sees(member)).toBe(404);
      }
    },
  );

  it('needs an OWNER where the member is one', async () => {
    const admin = await team.member('ADMIN');
    const second = await team.member('OWNER');
    expect((await team.remove(admin, second.email)).status).toBe(403);
    expect((await team.remove(team.owner, second.email)).status).toBe(204);
    expect(await team.sees(second)).toBe(404);
  });

  it('never takes the last owner', async () => {
    await team.member('ADMIN');
    const { status, body } = await team.removeByBody(team.owner, team.owner.email);
    expect([status, body.code]).toEqual([409, 'LAST_OWNER']);
    expect(await team.roleOf(team.owner)).toBe('OWNER');
    await team.member('OWNER');
    expect((await team.remove(team.owner, team.owner.email)).status).toBe(204);
    expect(await team.sees(team.owner)).toBe(404);
  });

  it('is 404 for a stranger and for an unknown address alike', async () => {
    const hidden = await team.remove(team.owner, stranger.email);
    const none = await team.remove(team.owner, 'nobody@example.com');
    expect([hidden.status, none.status]).toEqual([404, 404]);
    expect(hidden.body.detail).toBe(none.body.detail);
  });

  it('does not read the address from the other place', async () => {
    const path = team.users;
    const { email } = await team.member('GUEST');
    const inQuery = await team.owner.call('POST', `${path}/remove`, {
      query: { userEmail: email },
    });
    const inBody = await team.owner.call('DELETE', path, { body: { userEmail: email } });
    expect([inQuery.status, inBody.status]).toEqual([400, 400]);
  });
});
