import { randomBytes } from 'node:crypto';
import { e2e, type Refusable, type Result } from '../fixtures/e2e.ts';
import { type ProblemBody, request } from '../helpers/http.ts';
import {
  createWorkspace,
  mailTo,
  PASSWORD,
  type Person,
  register,
  registerVerified,
} from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

type User = Result<'identity.getUser'>;
interface Me extends User {
  emailVerified: boolean;
  operator: boolean;
  pendingMemberships: number;
}
interface Mail {
  subject: string;
  text: string;
  token?: string;
}

const { server, owner: operator } = e2e({
  env: { OPERATOR_EMAIL_SUFFIXES: 'ops.example', RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off' },
});

const newEmail = (domain = 'example.com') => `${randomBytes(6).toString('hex')}@${domain}`;

beforeAll(async () => {
  await moveTo(operator, newEmail('ops.example'));
  await verifyPresent(operator);
});

const namesOf = { firstName: 'Ada', lastName: 'Lovelace' };
const put = (by: Person, id: number, body: object, headers = {}) =>
  by.call<Refusable<User>>('PUT', `/users/${id}`, { body, headers });
const me = async (person: Person) => (await person.call<Me>('GET', '/auth/me')).body;

/** Changes the person's own address. */
async function moveTo(person: Person, email: string): Promise<void> {
  const { status, text } = await put(person, person.id, { ...namesOf, email });
  expect([status, text]).toEqual([200, expect.anything()]);
  person.email = email;
}
async function verifyPresent(person: Person): Promise<void> {
  const { token } = await mailTo(server.url, person.email);
  const body = { token, password: PASSWORD };
  expect((await person.call('POST', '/auth/email/verify', { body })).status).toBe(204);
}
const mailsTo = async (to: string) =>
  (await request<Mail[]>(server.url, 'GET', '/dev/outbox', { query: { to } })).body;
const signIn = (email: string, password = PASSWORD) =>
  request<{ accessToken: string; refreshToken: string } & ProblemBody>(
    server.url,
    'POST',
    '/auth/sign-in',
    { body: { email, password } },
  );
const statusOf = async (token: string) =>
  (await request(server.url, 'GET', '/auth/me', { token })).status;
const ended = (token: string) =>
  waitFor('the end of a session', async () => (await statusOf(token)) === 401);

describe('PUT /users/{id}', () => {
  it('of what GET answered changes nothing', async () => {
    const person = await registerVerified(server.url);
    const got = await person.call<User>('GET', '/users');
    const answer = await put(person, person.id, got.body, { 'if-match': got.headers.etag ?? '' });
    expect([answer.status, answer.body]).toEqual([200, got.body]);
    expect(answer.headers.etag).toBe(got.headers.etag);
    expect(await me(person)).toMatchObject({ emailVerified: true });
  });

  it('changes the name, which leaves the verification and the sessions', async () => {
    const person = await registerVerified(server.url);
    const second = (await signIn(person.email)).body;
    const { email } = person;
    const { status, body } = await put(person, person.id, {
      firstName: 'Augusta',
      lastName: 'King',
      email,
    });
    expect([status, body]).toEqual([
      200,
      { id: person.id, firstName: 'Augusta', lastName: 'King', email },
    ]);
    expect(await me(person)).toMatchObject({ firstName: 'Augusta', emailVerified: true });
    expect(await statusOf(second.accessToken)).toBe(200);
  });

  it('with an ETag that is not the present one is 412 and changes nothing', async () => {
    const person = await register(server.url);
    const body = { ...namesOf, firstName: 'Other', email: person.email };
    const { status } = await put(person, person.id, body, { 'if-match': '"other"' });
    expect(status).toBe(412);
    expect((await me(person)).firstName).toBe('Ada');
  });

  it.each([
    ['another spelling', (email: string) => email.toUpperCase()],
    ['blanks around it', (email: string) => `  ${email} `],
  ])('with the own address in %s keeps the verification', async (_, spell) => {
    const person = await registerVerified(server.url);
    const { status } = await put(person, person.id, { ...namesOf, email: spell(person.email) });
    expect(status).toBe(200);
    expect(await me(person)).toMatchObject({
      email: spell(person.email).trim(),
      emailVerified: true,
    });
    expect(await mailsTo(person.email)).toHaveLength(1); // the one that verified it
  });

  it.each([
    ['a body id that is another', { id: 1 }, 'id'],
    ['no address', { email: undefined }, 'email'],
    ['null as a name', { firstName: null }, 'firstName'],
    ['no mail address', { email: 'ada' }, 'email'],
    ['a field of /auth/me', { emailVerified: true }, 'emailVerified'],
    ['a password', { passwordHash: 'x' }, 'passwordHash'],
  ])('with %s is 400', async (_, wrong, path) => {
    const person = await register(server.url);
    const { email } = person;
    const { status, body } = await put(person, person.id, { ...namesOf, email, ...wrong });
    expect([status, body.errors?.map((fault) => fault.path)]).toEqual([400, [path]]);
  });

  it('is 403 for every other id, 404 of an unknown one for an operator alone', async () => {
    const [person, other] = [await register(server.url), await register(server.url)];
    const body = { ...namesOf, email: newEmail() };
    for (const id of [other.id, 987_654_321])
      expect((await put(person, id, body)).status).toBe(403);
    expect((await put(operator, 987_654_321, body)).status).toBe(404);
    expect((await put(operator, 987_654_321, {})).status).toBe(404);
    expect((await put(person, 0, body)).status).toBe(400);
    expect((await request(server.url, 'PUT', `/users/${person.id}`, { body })).status).toBe(401);
  });

  it('with an address that another user has is 409 and changes nothing', async () => {
    const [person, other] = [await registerVerified(server.url), await register(server.url)];
    const { status, body } = await put(person, person.id, {
      firstName: 'X',
      lastName: 'Y',
      email: other.email.toUpperCase(),
    });
    expect([status, body.code]).toEqual([409, 'EMAIL_IN_USE']);
    expect(await me(person)).toMatchObject({ firstName: 'Ada', emailVerified: true });
  });

  it('of two people who take one address at once gives it to one', async () => {
    const [one, two] = [await register(server.url), await register(server.url)];
    const email = newEmail();
    const answers = await Promise.all(
      [one, two].map((person) => put(person, person.id, { ...namesOf, email })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('a change of address', () => {
  it('drops the verification, ends the other sessions, and mails both addresses', async () => {
    const person = await registerVerified(server.url);
    const former = person.email;
    const second = (await signIn(former)).body;
    await moveTo(person, newEmail());
    await ended(second.accessToken);
    const refreshed = await request(server.url, 'POST', '/auth/refresh', {
      body: { refreshToken: second.refreshToken },
    });
    expect(refreshed.status).toBe(401);
    expect(await me(person)).toMatchObject({ email: person.email, emailVerified: false });
    const listed = await person.call<{ current: boolean }[]>('GET', '/auth/sessions');
    expect(listed.body.map(({ current }) => current)).toEqual([true]);

    const announced = await waitFor('the announcement', async () =>
      (await mailsTo(former)).find(({ subject }) => subject === 'Your e-mail address was changed'),
    );
    expect(announced.text).toContain('/#undo=');
    expect(announced.text).not.toContain(person.email);
    await verifyPresent(person);
    expect(await me(person)).toMatchObject({ emailVerified: true });
    expect((await signIn(former)).status).toBe(401);
    expect((await signIn(person.email)).status).toBe(200);
  });

  it('says nothing to a former address that was never verified', async () => {
    const person = await register(server.url);
    const former = person.email;
    await moveTo(person, newEmail());
    await mailTo(server.url, person.email); // the entry of the change was handled
    expect((await mailsTo(former)).map(({ subject }) => subject)).toEqual([
      'Verify your e-mail address',
    ]);
  });

  it('makes the tokens of an address without a verification worthless', async () => {
    const person = await register(server.url);
    const former = person.email;
    const { token } = await mailTo(server.url, former);
    await moveTo(person, newEmail());
    const verify = () => person.call('POST', '/auth/email/verify', { body: { token } });
    expect((await verify()).status).toBe(400);
    await mailTo(server.url, person.email); // the entry of the change was handled
    await moveTo(person, former);
    expect((await verify()).status).toBe(400);
    expect(await me(person)).toMatchObject({ emailVerified: false });
  });

  it('to an operator’s domain makes no operator before it is verified', async () => {
    const person = await registerVerified(server.url);
    await moveTo(person, newEmail('ops.example'));
    expect(await me(person)).toMatchObject({ operator: false });
    expect((await put(person, operator.id, { ...namesOf, email: newEmail() })).status).toBe(403);
  });

  it('is refused beyond five in an hour, with the time to wait', async () => {
    const person = await register(server.url);
    for (let changes = 0; changes < 5; changes++) await moveTo(person, newEmail());
    const { status, body, headers } = await put(person, person.id, {
      ...namesOf,
      email: newEmail(),
    });
    expect([status, body.code]).toEqual([429, 'TOO_MANY_ADDRESS_CHANGES']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3500);
    const { email } = person;
    expect((await put(person, person.id, { ...namesOf, lastName: 'King', email })).status).toBe(
      200,
    );
  });

  it('by an operator ends all sessions of the user', async () => {
    const person = await registerVerified(server.url);
    const email = newEmail();
    expect((await put(operator, person.id, { ...namesOf, email })).status).toBe(200);
    await ended(person.token);
    expect((await signIn(email)).status).toBe(200);
    expect((await mailTo(server.url, email)).subject).toBe('Verify your e-mail address');
  });

  it('of a directory entry by an operator mails nobody', async () => {
    const email = newEmail();
    const { body: entry } = await operator.call<User>('POST', '/users', {
      body: { ...namesOf, email },
    });
    const moved = newEmail();
    expect((await put(operator, entry.id, { ...namesOf, email: moved })).status).toBe(200);
    expect([...(await mailsTo(email)), ...(await mailsTo(moved))]).toEqual([]);
  });

  it('keeps memberships: those that count, and the pending ones with the address they were given to', async () => {
    const person = await register(server.url);
    const [owner, former] = [await registerVerified(server.url, 'Owner'), person.email];
    const [active, pending] = [await createWorkspace(owner), await createWorkspace(owner)];
    const add = (workspaceId: number, userEmail: string) =>
      owner.call('POST', `/workspaces/${workspaceId}/users`, {
        query: { userEmail, role: 'MEMBER' },
      });
    const sees = async (workspaceId: number) =>
      (await person.call('GET', `/workspaces/${workspaceId}`)).status;
    await add(pending, former);
    expect(await me(person)).toMatchObject({ pendingMemberships: 1 });
    await moveTo(person, newEmail());
    expect(await me(person)).toMatchObject({ pendingMemberships: 0 });
    await verifyPresent(person);
    await add(active, person.email);
    expect([await sees(active), await sees(pending)]).toEqual([200, 404]);
    await moveTo(person, newEmail());
    expect([await sees(active), await sees(pending)]).toEqual([200, 404]);
    const list = await owner.call<{ email: string; pending: boolean }[]>(
      'GET',
      `/workspaces/${pending}/users`,
    );
    expect(list.body).toContainEqual(expect.objectContaining({ email: former, pending: true }));
  });
});
