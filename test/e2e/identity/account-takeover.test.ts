import { randomBytes } from 'node:crypto';
import { e2e, type Refusable, type Result } from '../../fixtures/e2e.ts';
import { NEW_PASSWORD as NEW } from '../../helpers/accounts.ts';
import { faultOf, type ProblemBody, request } from '../../helpers/http.ts';
import { acceptByToken, invite, mailedToken } from '../../helpers/invitations.ts';
import {
  addMember,
  createWorkspace,
  mailTo,
  PASSWORD,
  type Person,
  register,
  registerVerified,
} from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, operator, accounts, database } = e2e({
  own: true,
  database: true,
  env: { RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off' },
});
const { post, verify, signIn, me, refused, refresh } = accounts;

const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`;
const move = (by: Person, email: string, id = by.id) =>
  by.call<Refusable<Result<'identity.updateUser'>>>('PUT', `/users/${id}`, {
    body: { firstName: 'Ada', lastName: 'Lovelace', email },
  });
const CHANGED = 'Your e-mail address was changed';
const undo = (token: string) => post('/auth/email/undo', { token });
const forgot = (email: string) => post('/auth/password/forgot', { email });
const reset = (token: string, newPassword = NEW) =>
  post('/auth/password/reset', { token, newPassword });
const registerAs = (email: string) =>
  post('/auth/register', { email, password: NEW, firstName: 'Mallory', lastName: 'Thief' });
const statusOfSignIn = async (email: string, password = PASSWORD) =>
  (await signIn(email, password)).status;
const subjectsTo = async (email: string) =>
  (await accounts.mailsTo(email)).map(({ subject }) => subject);

/** An account whose access token a thief has, who has changed the address to a mailbox of the thief. */
async function stolen() {
  const owner = await registerVerified(server.url);
  const mailbox = newEmail();
  expect((await move(owner, mailbox)).status).toBe(200);
  const { token } = await mailTo(server.url, mailbox, 'Verify your e-mail address');
  return { owner, mailbox, token };
}

describe('a stolen access token', () => {
  it('does not verify the address to which it has changed the account', async () => {
    const { owner, mailbox, token } = await stolen();
    const tries = [{}, { newPassword: NEW }, { password: NEW, newPassword: NEW }];
    const answers = [];
    for (const proof of tries) {
      for (const access of [owner.token, '']) {
        answers.push(faultOf(await verify({ token, ...proof }, access)));
      }
    }
    const [none, takeover] = [
      [400, ['password']],
      [400, ['newPassword']],
    ];
    expect(answers).toEqual([none, none, takeover, takeover, takeover, takeover]);
    expect((await verify({ token, password: NEW }, owner.token)).status).toBe(403);
    expect((await me(owner.token)).body).toMatchObject({ email: mailbox, emailVerified: false });
    expect(await statusOfSignIn(owner.email)).toBe(200);
  });

  it('gets no token for a new password by mail', async () => {
    const { owner, mailbox } = await stolen();
    expect((await forgot(mailbox)).status).toBe(202);
    expect((await forgot(owner.email)).status).toBe(202);
    await mailTo(server.url, owner.email, 'Set a new password');
    expect(await subjectsTo(mailbox)).toEqual(['Verify your e-mail address']);
  });

  it('does not verify by an invitation that the thief sends to the own mailbox', async () => {
    const { owner, mailbox } = await stolen();
    const thief = await registerVerified(server.url, 'Mallory');
    const workspaceId = await createWorkspace(thief);
    await invite(thief, workspaceId, mailbox, 'MEMBER');
    const token = await mailedToken(server.url, mailbox);
    expect((await acceptByToken(owner, token)).status).toBe(200);
    expect((await me(owner.token)).body).toMatchObject({ email: mailbox, emailVerified: false });
    expect(await subjectsTo(mailbox)).not.toContain('Set a new password');
    expect(await statusOfSignIn(owner.email)).toBe(200);
  });

  it('takes no membership that somebody gives to an address it claims', async () => {
    const { owner, mailbox } = await stolen();
    const other = await registerVerified(server.url, 'Other');
    const workspaceId = await createWorkspace(other);
    const added = await other.call('POST', `/workspaces/${workspaceId}/users`, {
      query: { userEmail: mailbox, role: 'ADMIN' },
    });
    expect(added.headers['x-membership-pending']).toBe('true');
    expect((await owner.call('GET', `/workspaces/${workspaceId}`)).status).toBe(404);
  });

  it('does not free the address for a registration of the thief', async () => {
    const { owner } = await stolen();
    expect((await registerAs(owner.email)).status).toBe(409);
    const thief = await registerVerified(server.url, 'Mallory');
    expect((await move(thief, owner.email)).body.code).toBe('EMAIL_IN_USE');
    const entry = await thief.call<ProblemBody>('POST', '/users', {
      body: { email: owner.email, firstName: 'Ada', lastName: 'Lovelace' },
    });
    expect(entry.body.code).toBe('EMAIL_IN_USE');
  });

  it('makes no operator of an account that claims an address of their domain', async () => {
    const owner = await registerVerified(server.url);
    await move(owner, `${randomBytes(6).toString('hex')}@${operator.email.split('@')[1]}`);
    expect((await me(owner.token)).body).toMatchObject({ operator: false });
  });

  it('changes no password and ends no token for a new one that the owner has asked for', async () => {
    const owner = await registerVerified(server.url);
    await forgot(owner.email);
    const { token } = await mailTo(server.url, owner.email, 'Set a new password');
    await move(owner, newEmail());
    const change = await owner.call('PUT', '/auth/password', {
      body: { currentPassword: NEW, newPassword: NEW },
    });
    expect(change.status).toBe(403);
    expect((await reset(token)).status).toBe(204);
    await refused(owner.token);
    expect(await statusOfSignIn(owner.email, NEW)).toBe(200);
  });

  it('deletes no account once its sign-in is 15 minutes old, nor does its refresh token', async () => {
    const owner = await registerVerified(server.url);
    const remove = (token: string) =>
      request<ProblemBody>(server.url, 'DELETE', `/users/${owner.id}`, { token });
    await database
      .collection('sessions')
      .updateMany(
        { userId: owner.id },
        { $set: { createdAt: new Date(Date.now() - 15 * 60_000) } },
      );
    const refreshed = (await refresh(owner.refreshToken)).body;
    for (const token of [owner.token, refreshed.accessToken]) {
      const { status, body } = await remove(token);
      expect([status, body.code]).toEqual([403, 'RECENT_SIGN_IN_REQUIRED']);
    }
    const [, claims = ''] = refreshed.accessToken.split('.');
    const { auth_time: at, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(iat - at).toBeGreaterThanOrEqual(15 * 60);
    expect((await operator.call('DELETE', `/users/${owner.id}`, {})).status).toBe(204);
  });

  it('deletes the account after another sign-in', async () => {
    const owner = await registerVerified(server.url);
    await database
      .collection('sessions')
      .updateMany({ userId: owner.id }, { $set: { createdAt: new Date(0) } });
    const { accessToken: token } = (await signIn(owner.email)).body;
    expect((await request(server.url, 'DELETE', `/users/${owner.id}`, { token })).status).toBe(204);
  });
});

it('a stolen API key reaches no account', async () => {
  const owner = await registerVerified(server.url);
  const workspaceId = await createWorkspace(owner);
  const { body } = await owner.call<{ key: string }>('POST', '/api-keys', {
    body: { workspaceId, name: 'Stolen', scopes: ['issues:create', 'flows:run'] },
  });
  const headers = { 'x-api-key': body.key };
  const fields = { firstName: 'Ada', lastName: 'Lovelace', email: newEmail() };
  const path = `/users/${owner.id}`;
  const calls = [
    request(server.url, 'PUT', path, { headers, body: fields }),
    request(server.url, 'DELETE', path, { headers }),
    request(server.url, 'PUT', '/auth/password', {
      headers,
      body: { currentPassword: PASSWORD, newPassword: NEW },
    }),
  ];
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([401, 401, 401]);
  expect((await me(owner.token)).body).toMatchObject({ email: owner.email, emailVerified: true });
});

describe('the verified address before a change', () => {
  it('signs in, and carries memberships and invitations, until the new one is verified', async () => {
    const boss = await registerVerified(server.url, 'Boss');
    const workspaceId = await createWorkspace(boss);
    const person = await addMember(server.url, boss, workspaceId, 'MEMBER');
    const former = person.email;
    const [second, email] = [await createWorkspace(boss), newEmail()];
    await move(person, email);
    expect((await person.call('GET', `/workspaces/${workspaceId}`)).status).toBe(200);
    await boss.call('POST', `/workspaces/${second}/users`, {
      query: { userEmail: former, role: 'MEMBER' },
    });
    expect((await person.call('GET', `/workspaces/${second}`)).status).toBe(200);
    const { token } = await mailTo(server.url, email, 'Verify your e-mail address');
    expect((await verify({ token, password: PASSWORD })).status).toBe(204);
    expect([await statusOfSignIn(former), await statusOfSignIn(email)]).toEqual([401, 200]);
    expect((await me(person.token)).body).toMatchObject({ email, emailVerified: true });
  });

  it('is verified when the account is changed back to it, in any spelling', async () => {
    const { owner, token } = await stolen();
    const email = owner.email.toUpperCase();
    expect((await move(owner, email)).status).toBe(200);
    expect((await me(owner.token)).body).toMatchObject({ email, emailVerified: true });
    expect((await verify({ token, password: PASSWORD })).status).toBe(400);
  });

  it('takes a mail for a new password, which does not verify the new address', async () => {
    const { owner, mailbox } = await stolen();
    await forgot(owner.email);
    const { token } = await mailTo(server.url, owner.email, 'Set a new password');
    expect((await reset(token)).status).toBe(204);
    const session = (await signIn(owner.email, NEW)).body;
    expect((await me(session.accessToken)).body).toMatchObject({
      email: mailbox,
      emailVerified: false,
    });
  });
});

it('the owner of a mailbox frees it from an account that claims it, which keeps its address and sessions', async () => {
  const { owner, mailbox, token } = await stolen();
  expect((await registerAs(mailbox)).status).toBe(409);
  expect((await undo(token)).status).toBe(204);
  expect((await me(owner.token)).body).toMatchObject({ email: owner.email, emailVerified: true });
  expect((await undo(token)).status).toBe(400);
  expect((await registerAs(mailbox)).status).toBe(201);
  expect((await move(owner, mailbox)).status).toBe(409);
});

describe('the link to undo a change of address', () => {
  const linkTo = async (email: string) => (await mailTo(server.url, email, CHANGED)).token;

  it('restores the address, ends sessions and password, and mails for a new password', async () => {
    const { owner, mailbox, token } = await stolen();
    const link = await linkTo(owner.email);
    expect((await undo(link)).status).toBe(204);
    await refused(owner.token);
    expect((await refresh(owner.refreshToken)).status).toBe(401);
    expect(await statusOfSignIn(owner.email)).toBe(401);
    const { token: resetToken } = await mailTo(server.url, owner.email, 'Set a new password');
    expect((await reset(resetToken)).status).toBe(204);
    const session = (await signIn(owner.email, NEW)).body;
    expect((await me(session.accessToken)).body).toMatchObject({
      id: owner.id,
      email: owner.email,
      emailVerified: true,
    });
    expect((await verify({ token, password: NEW })).status).toBe(400);
    expect(faultOf(await undo(link))).toEqual([400, ['token']]);
    expect((await registerAs(mailbox)).status).toBe(201);
  });

  it('holds when the thief knows the password, and has verified one address after the other', async () => {
    const { owner, mailbox, token } = await stolen();
    const link = await linkTo(owner.email);
    expect((await verify({ token, password: PASSWORD })).status).toBe(204);
    const last = newEmail();
    const thief = (await signIn(mailbox)).body;
    const asThief = { ...owner, token: thief.accessToken, email: mailbox };
    asThief.call = (method, path, options = {}) =>
      request(server.url, method, path, { token: thief.accessToken, ...options });
    expect((await registerAs(owner.email)).status).toBe(409);
    await move(asThief, last);
    const next = await mailTo(server.url, last, 'Verify your e-mail address');
    expect((await verify({ token: next.token, password: PASSWORD })).status).toBe(204);
    const counter = await linkTo(mailbox);

    expect((await undo(link)).status).toBe(204);
    await refused(thief.accessToken);
    expect(faultOf(await undo(counter))).toEqual([400, ['token']]);
    for (const email of [owner.email, mailbox, last]) {
      expect([email, await statusOfSignIn(email)]).toEqual([email, 401]);
    }
    const { token: resetToken } = await mailTo(server.url, owner.email, 'Set a new password');
    expect((await reset(resetToken)).status).toBe(204);
    expect(await statusOfSignIn(owner.email, NEW)).toBe(200);
  });

  it('ends a token for a new password that was mailed before, and mails another within the hour', async () => {
    const { owner } = await stolen();
    await forgot(owner.email);
    const before = await mailTo(server.url, owner.email, 'Set a new password');
    expect((await undo(await linkTo(owner.email))).status).toBe(204);
    expect((await reset(before.token)).status).toBe(400);
    const after = await waitFor('another mail', async () =>
      (await accounts.mailsTo(owner.email)).find(
        ({ subject, token }) => subject === 'Set a new password' && token !== before.token,
      ),
    );
    expect((await reset(after.token ?? '')).status).toBe(204);
  });

  it('of an address that was changed first is not ended by the link of a later one', async () => {
    const { owner, mailbox, token } = await stolen();
    const link = await linkTo(owner.email);
    expect((await verify({ token, password: PASSWORD })).status).toBe(204);
    const asOwner = async (email: string) => {
      const { accessToken } = (await signIn(email)).body;
      const call: Person['call'] = (method, path, options = {}) =>
        request(server.url, method, path, { token: accessToken, ...options });
      return { ...owner, token: accessToken, email, call };
    };
    const steps = [owner.email, newEmail()];
    let from = mailbox;
    for (const to of steps) {
      const known = new Set((await accounts.mailsTo(to)).map((mail) => mail.token));
      await database.collection('mail_slots').deleteMany({}); // an hour later
      await move(await asOwner(from), to);
      const unused = await waitFor('the mail to verify', async () =>
        (await accounts.mailsTo(to)).find(
          ({ subject, token: mailed }) => subject.startsWith('Verify') && !known.has(mailed),
        ),
      );
      expect((await verify({ token: unused.token ?? '', password: PASSWORD })).status).toBe(204);
      from = to;
    }
    expect((await undo(await linkTo(mailbox))).status).toBe(204); // the thief's
    expect((await undo(link)).status).toBe(204);
    expect((await undo(await linkTo(mailbox))).status).toBe(400);
  });

  it("still ends the thief's sessions when the thief has changed the address back", async () => {
    const { owner } = await stolen();
    const link = await linkTo(owner.email);
    await move(owner, owner.email);
    expect((await undo(link)).status).toBe(204);
    await refused(owner.token);
  });

  it('of a change before another one holds as well', async () => {
    const { owner } = await stolen();
    const first = await linkTo(owner.email);
    await move(owner, newEmail());
    await waitFor('another mail', async () => {
      const mails = (await subjectsTo(owner.email)).filter((subject) => subject === CHANGED);
      return mails.length === 2;
    });
    expect((await undo(first)).status).toBe(204);
  });

  it('is refused after 7 days, and the address is free then', async () => {
    const { owner, token } = await stolen();
    const link = await linkTo(owner.email);
    expect((await verify({ token, password: PASSWORD })).status).toBe(204);
    await database
      .collection('users')
      .updateOne({ _id: owner.id as never }, { $set: { 'changedEmails.0.until': new Date(0) } });
    expect((await registerAs(owner.email)).status).toBe(201);
    expect(faultOf(await undo(link))).toEqual([400, ['token']]);
  });

  it.each(['nonsense', 'a.b', 'A'.repeat(43)])('that is %p is refused', async (token) => {
    expect(faultOf(await undo(token))).toEqual([400, ['token']]);
  });

  it('is not given to an address that was never verified', async () => {
    const person = await register(server.url);
    const email = newEmail();
    await move(person, email);
    const { token } = await mailTo(server.url, email);
    expect(await subjectsTo(person.email)).toEqual(['Verify your e-mail address']);
    expect((await verify({ token, newPassword: NEW })).status).toBe(204);
  });
});
