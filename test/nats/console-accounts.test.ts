import { e2e } from '../fixtures/e2e.ts';
import { consoleOf } from '../helpers/console.ts';
import { request } from '../helpers/http.ts';
import { mailTo, PASSWORD, type Person, register, registerVerified } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

const LIMIT = 6;
const NEW = 'eleven quiet harbours';

const { server, owner, workspace } = e2e({ env: { SIGN_IN_LIMIT: `${LIMIT}/600` } });
const type = consoleOf(server);

const signIn = async (email: string, password: string) =>
  (await request(server.url, 'POST', '/auth/sign-in', { body: { email, password } })).status;
const statusOfMe = async (person: Person) => (await person.call('GET', '/auth/me')).status;
const reads = async (person: Person) => (await workspace.sees(person)) === 200;
const addUnverified = async ({ email }: Person) =>
  expect((await workspace.add(owner, email, 'MEMBER')).status).toBe(201);
const events = (name: string) => server.logLines().filter(({ event }) => event === name);

describe('verify', () => {
  it('takes the account from whoever registered the address, for its owner by mail', async () => {
    const stranger = await register(server.url, 'Mallory');
    await addUnverified(stranger);
    expect(await reads(stranger)).toBe(false);

    const { stdout, code } = await type(`verify ${stranger.email}`);
    expect(stdout).toMatch(
      `user ${stranger.id} (${stranger.email}) is verified; the password, all sessions and API keys have ended, and a mail for a new password is on its way`,
    );
    expect(code).toBe(0);
    await waitFor('the end of the session', async () => (await statusOfMe(stranger)) === 401);
    expect(await signIn(stranger.email, PASSWORD)).toBe(401);

    const { token } = await mailTo(server.url, stranger.email, 'Set a new password');
    const body = { token, newPassword: NEW };
    expect((await request(server.url, 'POST', '/auth/password/reset', { body })).status).toBe(204);
    const session = await request<{ accessToken: string }>(server.url, 'POST', '/auth/sign-in', {
      body: { email: stranger.email, password: NEW },
    });
    await waitFor('the membership', async () => {
      const { accessToken: token } = session.body;
      return (await request(server.url, 'GET', workspace.path, { token })).status === 200;
    });
    expect(events('account.email-verified')).toContainEqual(
      expect.objectContaining({
        userId: stranger.id,
        proof: 'operator',
        password: 'replaced',
        by: 'operator-console',
      }),
    );
  });

  it('keeps the account where the operator vouches for the person, whose memberships count then', async () => {
    const person = await register(server.url, 'Grace');
    await addUnverified(person);
    const { stdout } = await type(`verify ${person.id} --keep-password`);
    expect(stdout).toContain('is verified; password, sessions and API keys stay');
    await waitFor('the membership', () => reads(person));
    expect(await statusOfMe(person)).toBe(200);

    const again = await type(`verify ${person.id}`, 'verify 123456789');
    expect(again.stderr).toContain('409 EMAIL_ALREADY_VERIFIED');
    expect(again.stderr).toContain('404 ');
    expect(again.code).toBe(1);
  });

  it('has no password to keep of somebody who has not registered', async () => {
    const email = `entry.${Date.now()}@example.com`;
    const body = { email, firstName: 'Emmy', lastName: 'Noether' };
    await owner.call('POST', '/users', { body });
    const { stderr } = await type(`verify ${email} --keep-password`);
    expect(stderr).toContain('409 USER_NOT_REGISTERED');
    expect((await type(`verify ${email}`)).stdout).toContain('a mail for a new password');
  });

  it('is for the console alone, also while it acts as a user', async () => {
    const person = await register(server.url, 'Eve');
    const { stderr } = await type(
      `caller ${person.id}`,
      `call identity.verifyUser --userId ${person.id} --keepPassword`,
      `call identity.unlockUser --userId ${person.id}`,
    );
    expect(stderr.match(/403 FORBIDDEN/g)).toHaveLength(2);
  });
});

describe('unlock', () => {
  it('lets a locked-out person in at once, whichever process has refused before', async () => {
    const person = await registerVerified(server.url, 'Alan');
    expect(await signIn(person.email, PASSWORD)).toBe(200);
    const attempt = () => signIn(person.email, 'a wrong password');
    for (let n = 1; n < LIMIT; n++) expect(await attempt()).toBe(401);
    for (let n = 0; n < 4; n++) expect(await attempt()).toBe(429); // several processes remember it
    expect(await signIn(person.email, PASSWORD)).toBe(429);

    const { stdout, code } = await type(`unlock ${person.email}`, `unlock ${person.id}`);
    expect(stdout).toMatch(new RegExp(`^user ${person.id} is unlocked$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^known network +${LIMIT} +yes$`, 'm'));
    expect(stdout).toContain(`user ${person.id} was not locked: no attempt was counted`);
    expect(code).toBe(0);
    await waitFor('a sign-in', async () => (await signIn(person.email, PASSWORD)) === 200);
    expect(events('account.unlocked')).toContainEqual(
      expect.objectContaining({ userId: person.id, locked: 1, by: 'operator-console' }),
    );
  });

  it('resets the counters of an address where one is named', async () => {
    const person = await registerVerified(server.url, 'Rosa');
    const { stdout, stderr } = await type(
      `unlock ${person.id} --address 127.0.0.1`,
      `unlock ${person.id} --address here`,
    );
    expect(stdout).toMatch(/^address +\d+ +(yes|no)$/m);
    expect(stderr).toContain('400 INVALID_REQUEST');
  });
});
