import { e2e, type Result } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { pagesOf } from '../../helpers/pages.ts';
import { registerVerified } from '../../helpers/people.ts';

const { server, freshWorkspace: team } = e2e();

describe('adding a member', () => {
  it('answers 201 with the membership, and shows it in the list', async () => {
    const bob = await registerVerified(server.url, 'Bob');
    const { status, body } = await team.add(team.owner, bob.email.toUpperCase(), 'MEMBER');
    expect(status).toBe(201);
    expect(body).toEqual({
      userId: bob.id,
      workspaceId: team.id,
      role: 'MEMBER',
      email: bob.email,
      firstName: 'Bob',
      lastName: 'Lovelace',
      joinedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.joinedAt,
    });
    expect(await team.members()).toContainEqual({
      id: bob.id,
      email: bob.email,
      firstName: 'Bob',
      lastName: 'Lovelace',
      role: 'MEMBER',
      joinedAt: body.joinedAt,
      pending: false,
    });
  });

  it('is 409 for who is in the workspace, its owner included', async () => {
    const bob = await team.member('GUEST');
    for (const email of [bob.email, team.owner.email]) {
      const { status, body } = await team.add(team.owner, email, 'MEMBER');
      expect([status, body.code]).toEqual([409, 'USER_ALREADY_IN_WORKSPACE']);
    }
    expect(await team.roleOf(bob)).toBe('GUEST');
  });

  it('lets one of several at once succeed', async () => {
    const bob = await registerVerified(server.url, 'Bob');
    const answers = await Promise.all(
      ['GUEST', 'MEMBER', 'ADMIN', 'AGENT'].map((role) => team.add(team.owner, bob.email, role)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(await team.roleOf(bob)).toBe(answers.find(({ status }) => status === 201)?.body.role);
  });

  it('is 404 for an unknown user or workspace', async () => {
    const { status, body } = await team.add(team.owner, 'nobody@example.com', 'MEMBER');
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    const elsewhere = await team.owner.call('POST', '/workspaces/999999/users', {
      query: { userEmail: team.owner.email, role: 'GUEST' },
    });
    expect(elsewhere.status).toBe(404);
  });

  it.each([
    ['no userEmail', { role: 'MEMBER' }, 'userEmail'],
    ['no address', { userEmail: 'bob', role: 'MEMBER' }, 'userEmail'],
    ['no role', { userEmail: 'bob@example.com' }, 'role'],
    ['another role', { userEmail: 'bob@example.com', role: 'member' }, 'role'],
    ['another field', { userEmail: 'bob@example.com', role: 'MEMBER', name: 'x' }, 'name'],
  ])('refuses %s with 400', async (_what, query, path) => {
    const { status, body } = await team.owner.call<ProblemBody>('POST', team.users, {
      query,
    });
    expect([status, body.errors?.map((fault) => fault.path)]).toEqual([400, [path]]);
  });

  it('lets an ADMIN give every role but OWNER, and those below nothing', async () => {
    const admin = await team.member('ADMIN');
    for (const role of ['ADMIN', 'MEMBER', 'AGENT', 'GUEST']) {
      const { email } = await registerVerified(server.url);
      expect((await team.add(admin, email, role)).status).toBe(201);
    }
    const { email } = await registerVerified(server.url);
    expect((await team.add(admin, email, 'OWNER')).status).toBe(403);
    for (const role of ['MEMBER', 'AGENT', 'GUEST']) {
      expect((await team.add(await team.member(role), email, 'GUEST')).status).toBe(403);
    }
  });

  it('makes another OWNER when an OWNER says so', async () => {
    const second = await team.member('OWNER');
    expect(await team.roleOf(second)).toBe('OWNER');
    expect((await team.changeRole(second, team.owner.email, 'GUEST')).status).toBe(200);
  });
});

describe('the list of members', () => {
  it('is by user id, a page at a time, and the same for every role', async () => {
    for (const role of ['ADMIN', 'MEMBER', 'AGENT']) await team.member(role);
    const guest = await team.member('GUEST');
    const all = (await team.members(guest)).map((member) => member.id);
    expect(all).toHaveLength(5);
    expect(all).toEqual([...all].sort((a, b) => a - b));
    const pages = await pagesOf<Result<'workspaces.listMembers'>[number]>(
      guest,
      `${team.users}?limit=2`,
    );
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    const seen = pages.flat().map((member) => member.id);
    expect(seen).toEqual(all);
  });
});
