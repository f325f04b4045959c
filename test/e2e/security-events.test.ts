import { e2e } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import {
  createWorkspace,
  mailTo,
  PASSWORD,
  type Person,
  register,
  registerVerified,
} from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

const NEW = 'eleven quiet harbours';
const { server, owner } = e2e({ own: true });

type Line = Record<string, unknown>;
/** The line of that event that has these fields. */
const lineOf = (event: string, fields: Line): Promise<Line> =>
  waitFor(`a line of ${event}`, () =>
    server
      .logLines()
      .find(
        (line) =>
          line.event === event &&
          Object.entries(fields).every(([name, value]) => line[name] === value),
      ),
  );
const post = (path: string, body: object) => request(server.url, 'POST', path, { body });

/** The fields of every line beside its event. */
const occasion = (by: Person | null) => ({
  by: by && `user:${by.id}`,
  address: '127.0.0.1',
  requestId: expect.any(String),
});

it('verification says how it was proved, and a password that is changed or reset by whom', async () => {
  const person = await register(server.url);
  const { token } = await mailTo(server.url, person.email);
  await post('/auth/email/verify', { token, password: PASSWORD });
  expect(await lineOf('account.email-verified', { userId: person.id })).toMatchObject({
    level: 'info',
    proof: 'password',
    ...occasion(null),
  });
  await person.call('PUT', '/auth/password', {
    body: { currentPassword: PASSWORD, newPassword: NEW },
  });
  expect(await lineOf('account.password-changed', { userId: person.id })).toMatchObject(
    occasion(person),
  );
  await post('/auth/password/forgot', { email: person.email });
  const reset = await mailTo(server.url, person.email, 'Set a new password');
  await post('/auth/password/reset', { token: reset.token, newPassword: PASSWORD });
  expect(await lineOf('account.password-reset', { userId: person.id })).toMatchObject(
    occasion(null),
  );
});

it('a session that ends, and a refresh token that is used again', async () => {
  const person = await register(server.url);
  const refresh = () => post('/auth/refresh', { refreshToken: person.refreshToken });
  await refresh();
  await waitFor('the refusal', async () => (await refresh()).status === 401);
  expect(await lineOf('session.refresh-token-reused', { userId: person.id })).toMatchObject({
    level: 'warn',
    sessionId: expect.any(String),
    ...occasion(null),
  });
  const other = await register(server.url);
  await post('/auth/sign-out', { refreshToken: other.refreshToken });
  expect(await lineOf('session.revoked', { userId: other.id })).toMatchObject(occasion(null));
});

it('an API key that is made or revoked, once', async () => {
  const workspaceId = await createWorkspace(owner);
  const { body } = await owner.call<{ id: number; key: string }>('POST', '/api-keys', {
    body: { workspaceId, name: 'Form', scopes: ['issues:create'] },
  });
  const about = { keyId: body.id, workspaceId };
  expect(await lineOf('api-key.created', about)).toMatchObject(occasion(owner));
  for (let n = 0; n < 2; n++) await owner.call('DELETE', `/api-keys/${body.id}`);
  expect(await lineOf('api-key.revoked', about)).toMatchObject(occasion(owner));
  const all = server
    .logLines()
    .filter(({ event, keyId }) => event === 'api-key.revoked' && keyId === body.id);
  expect(all).toHaveLength(1);
  expect(server.output()).not.toContain(body.key);
});

it('a member who is added, takes another role, and leaves', async () => {
  const workspaceId = await createWorkspace(owner);
  const member = await registerVerified(server.url, 'Member');
  const users = `/workspaces/${workspaceId}/users`;
  const about = { workspaceId, userId: member.id };
  const userEmail = member.email;
  await owner.call('POST', users, { query: { userEmail, role: 'GUEST' } });
  expect(await lineOf('member.added', about)).toMatchObject({ role: 'GUEST', ...occasion(owner) });
  for (let n = 0; n < 2; n++) {
    await owner.call('PUT', `${users}/role`, { query: { userEmail, role: 'OWNER' } });
  }
  expect(await lineOf('member.role-changed', about)).toMatchObject({
    from: 'GUEST',
    to: 'OWNER',
    ...occasion(owner),
  });
  await member.call('DELETE', users, { query: { userEmail } });
  expect(await lineOf('member.removed', about)).toMatchObject({
    role: 'OWNER',
    ...occasion(member),
  });
  const changes = server
    .logLines()
    .filter(({ event, userId }) => event === 'member.role-changed' && userId === member.id);
  expect(changes).toHaveLength(1);
});
