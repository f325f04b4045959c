import { e2e, made } from '../fixtures/e2e.ts';
import {
  accept,
  acceptByToken,
  decline,
  invite,
  listCreated,
  listOfWorkspace,
  listReceived,
  mailedToken,
  resend,
  revoke,
} from '../helpers/invitations.ts';
import { createWorkspace, register, registerVerified } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

const { server, workspace: team } = e2e({ env: { RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off' } });
const admin = made(() => team.member('ADMIN'));

const somebody = () => registerVerified(server.url, 'Grace');
const inviteTo = (email: string, role = 'MEMBER', by = team.owner) =>
  invite(by, team.id, email, role);

describe('an invitation', () => {
  it('has the shape of the interface and lasts 7 days', async () => {
    const { owner } = team;
    const { status, body } = await inviteTo('Grace.Hopper@Example.com');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      workspaceId: team.id,
      workspaceName: 'Analytical Engines',
      email: 'Grace.Hopper@Example.com',
      role: 'MEMBER',
      status: 'PENDING',
      invitedBy: { id: owner.id, email: owner.email, firstName: 'Owner', lastName: 'Lovelace' },
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7 * 24 * 3600 * 1000);
  });

  it('is renewed by another one to the same address', async () => {
    const first = await inviteTo('renewed@example.com', 'GUEST');
    const second = await inviteTo('RENEWED@example.com', 'ADMIN', admin);
    expect(second.body).toMatchObject({
      id: first.body.id,
      role: 'ADMIN',
      createdAt: first.body.createdAt,
      invitedBy: { id: admin.id },
    });
    expect(second.body.expiresAt >= first.body.expiresAt).toBe(true);
    const listed = await listOfWorkspace(team.owner, team.id);
    expect(listed.filter(({ email }) => email.toLowerCase() === 'renewed@example.com')).toEqual([
      second.body,
    ]);
  });

  it('is refused to a member, above the own role, and without a role or address', async () => {
    const member = await inviteTo(admin.email);
    expect([member.status, member.body.code]).toEqual([409, 'USER_ALREADY_IN_WORKSPACE']);
    expect((await inviteTo('boss@example.com', 'OWNER', admin)).status).toBe(403);
    for (const body of [
      { workspaceId: team.id, email: 'x@example.com' },
      { workspaceId: team.id, role: 'GUEST' },
      { workspaceId: team.id, email: 'nowhere', role: 'GUEST' },
      { workspaceId: team.id, email: 'x@example.com', role: 'KING' },
    ]) {
      expect((await team.owner.call('POST', '/workspaces/invitations', { body })).status).toBe(400);
    }
  });

  it('waits for a verified address', async () => {
    const person = await register(server.url, 'Grace');
    const { body } = await inviteTo(person.email);
    expect(await listReceived(person)).toEqual([]);
    expect((await accept(person, body.id)).status).toBe(404);
    expect((await decline(person, body.id)).status).toBe(404);
    const me = await person.call<{ pendingMemberships: number }>('GET', '/auth/me');
    expect(me.body.pendingMemberships).toBe(1);
  });

  it('is in the lists of its receiver, its maker and its workspace', async () => {
    const grace = await somebody();
    const { body } = await inviteTo(grace.email, 'AGENT', admin);
    expect(await listReceived(grace)).toEqual([body]);
    expect(await listCreated(admin)).toContainEqual(body);
    expect(await listCreated(admin, team.id)).toContainEqual(body);
    expect(await listCreated(team.owner)).not.toContainEqual(body);
    expect(await listOfWorkspace(team.owner, team.id)).toContainEqual(body);
    const outsider = await somebody();
    const query = { workspaceId: team.id };
    const { status } = await outsider.call('GET', '/workspaces/invitations/created', { query });
    expect(status).toBe(404);
  });
});

describe('its receiver', () => {
  it('joins with the role of the invitation, at once and once', async () => {
    const grace = await somebody();
    const { body } = await inviteTo(grace.email, 'AGENT');
    expect(await team.sees(grace)).toBe(404);
    const accepted = await accept(grace, body.id);
    expect([accepted.status, accepted.body.status]).toEqual([200, 'ACCEPTED']);
    expect(await team.sees(grace)).toBe(200);
    expect(await team.roleOf(grace)).toBe('AGENT');
    expect((await accept(grace, body.id)).status).toBe(409);
    expect((await decline(grace, body.id)).status).toBe(409);
    expect((await revoke(team.owner, body.id)).status).toBe(409);
    expect((await resend(team.owner, body.id)).status).toBe(409);
  });

  it('becomes OWNER by the invitation of an OWNER', async () => {
    const grace = await somebody();
    const { body } = await inviteTo(grace.email, 'OWNER');
    expect((await accept(grace, body.id)).status).toBe(200);
    expect(await team.roleOf(grace)).toBe('OWNER');
  });

  it('declines it', async () => {
    const grace = await somebody();
    const { body } = await inviteTo(grace.email);
    const declined = await decline(grace, body.id);
    expect([declined.status, declined.body.status]).toEqual([200, 'DECLINED']);
    const refused = await accept(grace, body.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'INVITATION_NOT_PENDING']);
    const again = await inviteTo(grace.email);
    expect([again.status, again.body.status]).toEqual([200, 'PENDING']);
    expect((await accept(grace, again.body.id)).status).toBe(200);
  });

  it('alone acts on it: to others it does not exist', async () => {
    const { body } = await inviteTo((await somebody()).email);
    const stranger = await somebody();
    for (const call of [accept, decline, resend, revoke]) {
      const { status, body: problem } = await call(stranger, body.id);
      const missing = await call(stranger, 999_999_999);
      expect([status, problem.code]).toEqual([404, 'NOT_FOUND']);
      expect(missing.body.detail).toBe(problem.detail.replace(`${body.id}`, '999999999'));
    }
    expect((await accept(team.owner, body.id)).status).toBe(404);
  });

  it('cannot accept it after its revocation', async () => {
    const grace = await somebody();
    const { body } = await inviteTo(grace.email);
    expect((await revoke(admin, body.id)).status).toBe(204);
    expect((await accept(grace, body.id)).status).toBe(409);
    expect((await listReceived(grace))[0]?.status).toBe('REVOKED');
  });

  it('cannot accept it when whoever invited may no longer give the role', async () => {
    const grace = await somebody();
    const former = await team.member('ADMIN');
    const { body } = await inviteTo(grace.email, 'MEMBER', former);
    await team.changeRole(team.owner, former.email, 'MEMBER');
    expect((await accept(grace, body.id)).status).toBe(409);
    expect((await listReceived(grace))[0]?.status).toBe('REVOKED');
    expect(await team.sees(grace)).toBe(404);
  });

  it('does not come back by it after a removal', async () => {
    const grace = await somebody();
    const { body } = await inviteTo(grace.email);
    await team.add(team.owner, grace.email, 'GUEST');
    expect((await accept(grace, body.id)).body.code).toBe('USER_ALREADY_IN_WORKSPACE');
    await team.remove(team.owner, grace.email);
    await waitFor(
      'the revocation',
      async () => (await listReceived(grace))[0]?.status === 'REVOKED',
    );
    expect((await accept(grace, body.id)).status).toBe(409);
  });
});

describe('its token', () => {
  it('lets whoever is signed in join once', async () => {
    const email = `${Math.random().toString(36).slice(2)}@example.com`;
    await inviteTo(email, 'GUEST');
    const token = await mailedToken(server.url, email);
    const [grace, other] = [await register(server.url, 'Grace'), await somebody()];
    expect((await acceptByToken(grace, token)).status).toBe(200);
    expect(await team.roleOf(grace)).toBe('GUEST');
    expect((await acceptByToken(other, token)).body.code).toBe('INVITATION_NOT_PENDING');
    const me = await grace.call<{ emailVerified: boolean }>('GET', '/auth/me');
    expect(me.body.emailVerified).toBe(false);
  });

  it("verifies the address when it is the caller's own", async () => {
    const grace = await register(server.url, 'Grace');
    await inviteTo(grace.email, 'GUEST');
    const token = await mailedToken(server.url, grace.email);
    expect((await acceptByToken(grace, token)).status).toBe(200);
    const me = await grace.call<{ emailVerified: boolean }>('GET', '/auth/me');
    expect(me.body.emailVerified).toBe(true);
  });

  it('is refused when it is forged, and ends with a further invitation and a revocation', async () => {
    const grace = await somebody();
    const { body } = await inviteTo(grace.email, 'GUEST');
    const token = await mailedToken(server.url, grace.email);
    for (const forged of [`${token}x`, `x${token}`, token.replace('.', '..'), 'x.y', '.']) {
      expect((await acceptByToken(grace, forged)).body.errors?.[0]?.path).toBe('token');
    }
    await inviteTo(grace.email, 'MEMBER');
    const latest = await waitFor('the second mail', async () => {
      const mailed = await mailedToken(server.url, grace.email);
      return mailed === token ? undefined : mailed;
    });
    expect((await acceptByToken(grace, token)).status).toBe(409);
    await resend(team.owner, body.id);
    await revoke(team.owner, body.id);
    expect((await acceptByToken(grace, latest)).status).toBe(409);
    expect(await team.sees(grace)).toBe(404);
  });

  it('is good for one of two persons who use it at once', async () => {
    const email = `${Math.random().toString(36).slice(2)}@example.com`;
    await inviteTo(email, 'GUEST');
    const token = await mailedToken(server.url, email);
    const both = [await somebody(), await somebody()];
    const answers = await Promise.all(both.map((person) => acceptByToken(person, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const seen = await Promise.all(both.map((person) => team.sees(person)));
    expect(seen.sort()).toEqual([200, 404]);
  });
});

describe('mails of invitations', () => {
  it('go to an address at most three times an hour, and name no text of strangers', async () => {
    const email = `${Math.random().toString(36).slice(2)}@example.com`;
    const mails = async () =>
      (await team.owner.call<{ text: string }[]>('GET', '/dev/outbox', { query: { to: email } }))
        .body;
    const { body } = await inviteTo(email);
    for (let n = 0; n < 4; n++) expect((await resend(team.owner, body.id)).status).toBe(200);
    await waitFor('three mails', async () => (await mails()).length === 3);
    const other = await createWorkspace(admin, 'Click http://evil.example');
    await invite(admin, other, email, 'GUEST');
    const texts = (await mails()).map(({ text }) => text);
    expect(texts).toHaveLength(3);
    expect(texts.join()).toContain(team.owner.email);
    expect(texts.join()).not.toContain('Analytical');
  });
});
