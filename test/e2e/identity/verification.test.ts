import { randomBytes } from 'node:crypto';
import { e2e, type Refusable, type Result } from '../../fixtures/e2e.ts';
import { NEW_PASSWORD as NEW } from '../../helpers/accounts.ts';
import { faultOf, request } from '../../helpers/http.ts';
import { createWorkspace, mailTo, PASSWORD, register } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, owner, workspace, accounts } = e2e();
const { post, verify, signIn, refresh, me, refused, mailsTo } = accounts;
const isVerified = async (token: string) => (await me(token)).body.emailVerified;
const tokenOf = async ({ email }: { email: string }) => (await mailTo(server.url, email)).token;

describe('a mailed token', () => {
  it('verifies nothing by itself, nor with the access token of somebody else, and is not used up', async () => {
    const person = await register(server.url);
    const token = await tokenOf(person);
    for (const accessToken of [undefined, owner.token]) {
      expect(faultOf(await verify({ token }, accessToken))).toEqual([400, ['newPassword']]);
      expect(await isVerified(person.token)).toBe(false);
    }
    expect((await verify({ token }, person.token)).status).toBe(204);
    expect(await isVerified(person.token)).toBe(true);
  });

  it('works once', async () => {
    const person = await register(server.url);
    const token = await tokenOf(person);
    expect((await verify({ token }, person.token)).status).toBe(204);
    for (const proof of [{ password: PASSWORD }, { newPassword: NEW }, {}]) {
      expect(faultOf(await verify({ token, ...proof }, person.token))).toEqual([400, ['token']]);
    }
  });

  it('verifies with the password, whose absence or mistake does not use it up', async () => {
    const person = await register(server.url);
    const token = await tokenOf(person);
    const { status, body } = await verify({ token, password: 'not the password' });
    expect([status, body.code]).toEqual([403, 'WRONG_PASSWORD']);
    expect(await isVerified(person.token)).toBe(false);
    expect((await verify({ token, password: PASSWORD })).status).toBe(204);
    expect(await isVerified(person.token)).toBe(true);
  });

  it.each(['nonsense', 'A'.repeat(43), ''])('that is %p is refused', async (token) => {
    expect(faultOf(await verify({ token, newPassword: NEW }))).toEqual([400, ['token']]);
  });

  it('with an access token that is no good is 401', async () => {
    const token = await tokenOf(await register(server.url));
    expect((await verify({ token, password: PASSWORD }, 'nonsense')).status).toBe(401);
    expect((await verify({ token, password: PASSWORD })).status).toBe(204);
  });

  it.each(['too short', 'password1234'])('sets no weak password %p', async (newPassword) => {
    const person = await register(server.url);
    const token = await tokenOf(person);
    expect(faultOf(await verify({ token, newPassword }))).toEqual([400, ['newPassword']]);
    const both = await verify({ token, newPassword: NEW, password: PASSWORD });
    expect(faultOf(both)).toEqual([400, ['newPassword']]);
    expect((await verify({ token, newPassword: NEW })).status).toBe(204);
  });

  it('is taken once of many proofs that come at once', async () => {
    const person = await register(server.url);
    const token = await tokenOf(person);
    const answers = await Promise.all([
      verify({ token }, person.token),
      verify({ token, password: PASSWORD }),
      verify({ token, newPassword: NEW }),
      verify({ token, newPassword: `${NEW} too` }),
    ]);
    const won = answers.filter(({ status }) => status === 204);
    expect(won).toHaveLength(1);
    const passwords = [PASSWORD, NEW, `${NEW} too`];
    const signIns = await Promise.all(passwords.map((each) => signIn(person.email, each)));
    expect(signIns.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('who registered an address of somebody else', () => {
  it('keeps nothing by it once the owner has verified it with a new password', async () => {
    const stranger = await register(server.url, 'Ceo');
    const second = (await signIn(stranger.email, PASSWORD)).body;
    await owner.call('POST', `${workspace.path}/users`, {
      query: { userEmail: stranger.email, role: 'ADMIN' },
    });
    const own = await createWorkspace(stranger);
    const { body: key } = await stranger.call<{ key: string }>('POST', '/api-keys', {
      body: { workspaceId: own, name: 'Backdoor', scopes: ['issues:create'] },
    });
    const useKey = () =>
      request(server.url, 'POST', `/workspaces/${own}/issues/external`, {
        headers: { 'x-api-key': key.key },
        body: { title: 'Still here', description: '' },
      });
    expect((await useKey()).status).toBe(201);
    expect((await stranger.call('GET', workspace.path)).status).toBe(404);

    expect((await verify({ token: await tokenOf(stranger), newPassword: NEW })).status).toBe(204);
    await refused(stranger.token);
    await refused(second.accessToken);
    expect((await refresh(stranger.refreshToken)).status).toBe(401);
    expect((await signIn(stranger.email, PASSWORD)).status).toBe(401);
    await waitFor('the end of the key', async () => (await useKey()).status === 401);

    const { status, body } = await signIn(stranger.email, NEW);
    expect([status, body.user.id]).toEqual([200, stranger.id]);
    // The refusal before may be remembered for a second.
    await waitFor('the membership', async () => {
      const path = workspace.path;
      return (await request(server.url, 'GET', path, { token: body.accessToken })).status === 200;
    });
  });

  it('has no session that begins while the owner takes the account', async () => {
    const person = await register(server.url);
    const token = await tokenOf(person);
    const signingIn = Array.from({ length: 8 }, () => signIn(person.email, PASSWORD));
    expect((await verify({ token, newPassword: NEW })).status).toBe(204);
    const sessions = (await Promise.all(signingIn)).filter(({ status }) => status === 200);
    for (const { body } of sessions) await refused(body.accessToken);
  });
});

describe('an address in the directory', () => {
  const newEntry = async () => {
    const email = `entry.${randomBytes(5).toString('hex')}@example.com`;
    const { body } = await owner.call<{ id: number }>('POST', '/users', {
      body: { email, firstName: 'Entry', lastName: 'Only' },
    });
    return { id: body.id, email };
  };
  const claim = (email: string, password = PASSWORD) =>
    post<Refusable<Result<'identity.register'>>>('/auth/register', {
      email,
      password,
      firstName: 'Own',
      lastName: 'Name',
    });

  it('gets no session by registering: the password holds once the mail is answered with it', async () => {
    const { id, email } = await newEntry();
    const registered = await claim(email);
    expect([registered.status, registered.body]).toEqual([202, { verification: 'mailed' }]);
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    const token = await tokenOf({ email });
    expect(faultOf(await verify({ token }))).toEqual([400, ['newPassword']]);
    expect((await verify({ token, password: NEW })).status).toBe(403);
    expect((await verify({ token, password: PASSWORD })).status).toBe(204);
    const { status, body } = await signIn(email, PASSWORD);
    expect(status).toBe(200);
    expect((await me(body.accessToken)).body).toMatchObject({
      id,
      firstName: 'Own',
      emailVerified: true,
    });
    expect((await claim(email)).status).toBe(409);
  });

  it('is taken by its owner with a new password, whoever registered: of that nothing is left', async () => {
    const { id, email } = await newEntry();
    await claim(email, 'a password of a stranger');
    const token = await tokenOf({ email });
    expect((await verify({ token, newPassword: NEW })).status).toBe(204);
    expect((await signIn(email, 'a password of a stranger')).status).toBe(401);
    const { body } = await signIn(email, NEW);
    expect((await me(body.accessToken)).body).toMatchObject({
      id,
      firstName: 'Entry',
      emailVerified: true,
    });
  });

  it('is registered by the last who tried: the mail of an earlier registration counts no more', async () => {
    const { email } = await newEntry();
    await claim(email, 'a password of a stranger');
    const first = await tokenOf({ email });
    await claim(email);
    const last = await waitFor('another mail', async () =>
      (await mailsTo(email)).find(({ token }) => token !== undefined && token !== first),
    );
    expect(faultOf(await verify({ token: first, newPassword: NEW }))).toEqual([400, ['token']]);
    expect((await verify({ token: last.token, password: PASSWORD })).status).toBe(204);
    const { body } = await signIn(email, PASSWORD);
    expect((await me(body.accessToken)).body).toMatchObject({ firstName: 'Own' });
  });

  it('gets five mails of registrations in an hour; a further registration changes nothing', async () => {
    const { email } = await newEntry();
    for (let n = 1; n <= 6; n++) {
      expect((await claim(email, `${PASSWORD} ${n}`)).status).toBe(202);
    }
    const mails = await mailsTo(email);
    expect(mails).toHaveLength(5);
    const token = mails[0]?.token;
    expect((await verify({ token, password: `${PASSWORD} 6` })).status).toBe(403);
    expect((await verify({ token, password: `${PASSWORD} 5` })).status).toBe(204);
  });
});
