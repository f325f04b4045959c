import { randomBytes } from 'node:crypto';
import { e2e, type Refusable, type Result } from '../fixtures/e2e.ts';
import { type ProblemBody, request } from '../helpers/http.ts';
import { mailTo, PASSWORD, type Person, register, registerVerified } from '../helpers/people.ts';
import { startServer } from '../helpers/server.ts';

const {
  server,
  owner: somebody,
  accounts,
} = e2e({
  env: { OPERATOR_EMAIL_SUFFIXES: 'ops.example,@Staff.Example', DIRECTORY_ENTRIES_PER_DAY: '8' },
});

const { post, signIn, verify, me } = accounts;
const registering = (fields: object) =>
  post<Refusable<Result<'identity.signIn'>>>('/auth/register', {
    email: 'free@example.com',
    password: PASSWORD,
    firstName: 'Ada',
    lastName: 'Lovelace',
    ...fields,
  });
describe('registering a free address', () => {
  it('answers 201 with a session that works at once', async () => {
    const { status, body } = await registering({ email: ' Grace@Example.com ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: 900,
      user: {
        id: expect.any(Number),
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'Grace@Example.com',
      },
    });
    expect((await me(body.accessToken)).body).toEqual({
      ...body.user,
      emailVerified: false,
      operator: false,
      pendingMemberships: 0,
    });
    const user = await request(server.url, 'GET', '/users', { token: body.accessToken });
    expect(user.body).toEqual(body.user);
  });

  it('makes one user of two who come at once', async () => {
    const both = await Promise.all([
      registering({ email: 'race@example.com' }),
      registering({ email: 'RACE@example.com' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('is refused when somebody registered it, in whatever case and form', async () => {
    await registering({ email: 'zoé@example.com' });
    for (const email of ['ZOÉ@EXAMPLE.COM', 'zoé@example.com'.normalize('NFD')]) {
      const { status, body } = await registering({ email });
      expect([status, body.code]).toEqual([409, 'EMAIL_ALREADY_REGISTERED']);
    }
  });

  it.each([
    ['too short', 'eleven char'],
    ['too long', 'long enough '.repeat(22)],
    ['common', 'Password1234'],
    ['the address itself', 'Free@Example.com'],
    ['short in characters, long in UTF-16', '🎉'.repeat(8)],
    ['short once composed', 'e\u0301'.repeat(8)],
  ])('is refused with a password that is %s', async (_what, password) => {
    const { status, body } = await registering({ password });
    expect([status, body.errors]).toEqual([
      400,
      [expect.objectContaining({ in: 'body', path: 'password' })],
    ]);
  });

  it.each([
    ['email', 'nobody'],
    ['firstName', ' '],
    ['lastName', 'two\nlines'],
  ])('is refused with a bad %s', async (path, value) => {
    const { status, body } = await registering({ [path]: value });
    expect([status, body.errors?.[0]?.path]).toEqual([400, path]);
  });
});

describe('a verified address', () => {
  it('makes an operator of a whole configured domain only', async () => {
    const operatorOf = async (email: string) => {
      const { body } = await registering({ email });
      const before = (await me(body.accessToken)).body.operator;
      await verify({ token: (await mailTo(server.url, email)).token }, body.accessToken);
      return [before, (await me(body.accessToken)).body.operator];
    };
    expect(await operatorOf('a@ops.example')).toEqual([false, true]);
    expect(await operatorOf('a@STAFF.example')).toEqual([false, true]);
    expect(await operatorOf('a@notops.example')).toEqual([false, false]);
    expect(await operatorOf('a@sub.ops.example')).toEqual([false, false]);
    expect(await operatorOf('a@ops.example.net')).toEqual([false, false]);
  });
});

describe('an address in the directory', () => {
  it('is taken by its entry: adding it again is 409, a given id is ignored', async () => {
    const { status, body } = await somebody.call<{ id: number }>('POST', '/users', {
      body: { id: 12345678, email: 'known@example.com', firstName: 'K', lastName: 'N' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      email: 'known@example.com',
      firstName: 'K',
      lastName: 'N',
    });
    expect(body.id).not.toBe(12345678);
    const again = await somebody.call<ProblemBody>('POST', '/users', {
      body: { email: 'KNOWN@example.com', firstName: 'K', lastName: 'N' },
    });
    expect([again.status, again.body.code]).toEqual([409, 'EMAIL_IN_USE']);
  });
});

describe('the directory', () => {
  const add = (person: Person) =>
    person.call<ProblemBody & { quota: string; limit: number }>('POST', '/users', {
      body: {
        email: `${randomBytes(6).toString('hex')}@example.com`,
        firstName: 'A',
        lastName: 'B',
      },
    });

  it('takes 5 entries a day of an account without a verified address, and more once it is verified', async () => {
    const person = await register(server.url);
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await add(person)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201]);
    const { status, body, headers } = await add(person);
    expect([status, body.code, body.quota, body.limit]).toEqual([
      409,
      'QUOTA_REACHED',
      'DIRECTORY_ENTRIES_PER_DAY',
      5,
    ]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3600);
    const { token } = await mailTo(server.url, person.email);
    await verify({ token }, person.token);
    expect((await add(person)).status).toBe(201);
  });

  it('takes as many of a verified account as the quota says, at once as well', async () => {
    const person = await registerVerified(server.url);
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(person)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(8).fill(201),
      ...Array(4).fill(409),
    ]);
  });
});

describe('signing in', () => {
  it('takes the address in any case and the password in any normal form', async () => {
    const password = 'crème brûlée 22';
    await registering({ email: 'forms@example.com', password: password.normalize('NFC') });
    expect((await signIn('FORMS@example.com', password.normalize('NFD'))).status).toBe(200);
  });

  it('takes an internationalised domain in letters and in ASCII as one', async () => {
    await registering({ email: 'ada@Bücher.example' });
    expect((await signIn('ADA@xn--bcher-kva.example', PASSWORD)).status).toBe(200);
    expect((await registering({ email: 'ada@xn--bcher-kva.example' })).status).toBe(409);
    // Cyrillic: another domain, which only looks the same
    expect((await registering({ email: 'ada@bücher.ехample' })).status).not.toBe(409);
  });

  it('answers alike for an unknown address, one without password and a wrong password', async () => {
    const person = await registerVerified(server.url);
    const entry = { email: 'silent@example.com', firstName: 'Entry', lastName: 'Only' };
    await somebody.call('POST', '/users', { body: entry });
    const answers = await Promise.all(
      [person.email, 'silent@example.com', 'nobody@example.com'].map((email) =>
        signIn(email, 'not the password'),
      ),
    );
    const shown = answers.map(({ status, body: { instance: _, ...body } }) => ({ status, body }));
    expect(shown[0]).toMatchObject({ status: 401, body: { code: 'INVALID_CREDENTIALS' } });
    expect(shown[1]).toEqual(shown[0]);
    expect(shown[2]).toEqual(shown[0]);
  });
});

describe('REGISTRATION=closed', () => {
  it('refuses everybody', async () => {
    const closed = await startServer({ env: { REGISTRATION: 'closed' } });
    const { status, body } = await request<ProblemBody>(closed.url, 'POST', '/auth/register', {
      body: { email: 'a@example.com', password: PASSWORD, firstName: 'A', lastName: 'B' },
    });
    expect([status, body.code]).toEqual([403, 'REGISTRATION_CLOSED']);
    await closed.stop();
  });
});
