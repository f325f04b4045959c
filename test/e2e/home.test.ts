import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { e2e, type Result } from '../fixtures/e2e.ts';
import { HomePage } from '../helpers/home-page.ts';
import { request } from '../helpers/http.ts';
import { acceptByToken, invite, mailedToken } from '../helpers/invitations.ts';
import { mailTo, PASSWORD, type Person, register, registerVerified } from '../helpers/people.ts';
import { dataFolder } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

const run = promisify(execFile);
const NEW = 'eleven quiet harbours';
const { server, owner, workspace } = e2e();

const open = (fragment: string) => new HomePage(server.url, fragment);
const signIn = async (email: string, password: string) =>
  (await request(server.url, 'POST', '/auth/sign-in', { body: { email, password } })).status;
const isVerified = async (person: Person) =>
  (await person.call<{ emailVerified: boolean }>('GET', '/auth/me')).body.emailVerified;
async function invited(email: string): Promise<string> {
  expect((await invite(owner, workspace.id, email, 'MEMBER')).status).toBe(200);
  return mailedToken(server.url, email);
}
const membersOf = async () => {
  const path = `${workspace.path}/users`;
  return JSON.stringify((await owner.call('GET', path)).body);
};

describe('the page', () => {
  it('says where things are, with scripts of this service alone', async () => {
    const { status, headers, text } = await request(server.url, 'GET', '/');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/script-src 'self';.*form-action 'none'/);
    expect(text.match(/<script.*/g)).toEqual([
      '<script src="home.js"></script>',
      '<script src="home-status.js"></script>',
    ]);
    expect(text).not.toMatch(/ on\w+=|(?:src|href)="(?:https?:|\/)/);
    const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part ?? '');
    for (const part of parts.filter((one) => !one.startsWith('data:'))) {
      expect([part, (await request(server.url, 'GET', `/${part}`)).status]).toEqual([part, 200]);
    }
    for (const path of ['/home.js', '/home-status.js']) {
      const script = await request(server.url, 'GET', path);
      expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
      expect(script.text).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval/);
    }
  });

  it.each(['', '#', '#verify=', '#other=abc', '#reset=a b', '#verify=<b>', '#xreset=abc'])(
    'shows no form for the fragment %j',
    (fragment) => {
      const page = open(fragment);
      expect([page.section.hidden, page.history]).toEqual([true, []]);
    },
  );

  /** The commands of the page as a script for the shared server, with another address of the person. */
  async function scriptOf(email: string): Promise<string> {
    const { text } = await request(server.url, 'GET', '/');
    const commands = [...text.matchAll(/<code>([^<]{30,})<\/code>/g)].map(([, code = '']) => code);
    const [, base = ''] = /data-base="([^"]*)"/.exec(text) ?? [];
    return commands
      .join('\n')
      .replaceAll(base, server.url)
      .replaceAll('ada@example.com', email)
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  }
  // A command writes to /dev/stderr, which has to be a pipe and no socket.
  const walk = (script: string) =>
    run('sh', ['-c', '{ sh -eu -c "$1" 2>&1 >&3 | cat >&2; } 3>&1', 'sh', script], {
      cwd: dataFolder(),
    });

  it('leads from an account to the result of a run with its commands', async () => {
    const { stdout, stderr } = await walk(await scriptOf(`${randomUUID()}@example.com`));
    expect({ ...JSON.parse(stdout), stderr }).toMatchObject({
      status: 'SUCCESS',
      output: { text: 'Hello, Ada!' },
      stderr: '',
    });
  });

  it('shows what is wrong where a command fails', async () => {
    const { stderr } = await walk(await scriptOf(owner.email));
    expect(stderr).toContain('"code":"EMAIL_ALREADY_REGISTERED"');
  });

  it('takes the token out of the address', () => {
    expect(open('#reset=abc').history).toEqual(['/']);
  });
});

describe('the form to verify an address', () => {
  it('takes the password, after one that is wrong', async () => {
    const person = await register(server.url);
    const page = open(`#verify=${(await mailTo(server.url, person.email)).token}`);
    expect(page.inputs).toEqual(['takeover', 'password']);
    expect(await page.send({ password: 'wrong' })).toBe(
      'The password is not the one of the account.',
    );
    expect(await page.send({ password: PASSWORD })).toBe('Your e-mail address is verified.');
    expect(page.inputs).toEqual([]);
    expect(await isVerified(person)).toBe(true);
  });

  it('takes a new password, and names what is wrong with one', async () => {
    const { email } = await register(server.url);
    const page = open(`#verify=${(await mailTo(server.url, email)).token}`);
    expect(await page.send({ takeover: true, newPassword: 'short' })).toMatch(
      /newPassword.*at least 12 characters/,
    );
    expect(page.inputs).toEqual(['takeover', 'newPassword']);
    expect(await page.send({ newPassword: NEW })).toBe('Your e-mail address is verified.');
    expect(await signIn(email, NEW)).toBe(200);
  });
});

it('the form for a new password sets one', async () => {
  const { email } = await registerVerified(server.url);
  await request(server.url, 'POST', '/auth/password/forgot', { body: { email } });
  const { token } = await mailTo(server.url, email, 'Set a new password');
  expect(await open(`#reset=${token}x`).send({ newPassword: NEW })).toMatch(/unknown, used/);
  expect(await open(`#reset=${token}`).send({ newPassword: NEW })).toMatch(/^The new password/);
  expect(await signIn(email, NEW)).toBe(200);
});

it('the form to undo a change of address asks for nothing, and sends on a click alone', async () => {
  const person = await registerVerified(server.url);
  const { email } = person;
  const body = { firstName: 'Ada', lastName: 'Lovelace', email: `moved.${email}` };
  await person.call('PUT', `/users/${person.id}`, { body });
  const { token } = await mailTo(server.url, email, 'Your e-mail address was changed');
  const page = open(`#undo=${token}`);
  expect([page.inputs, page.section.hidden]).toEqual([[], false]);
  expect(await isVerified(person)).toBe(false);
  expect(await page.send({})).toMatch(/^The account has this e-mail address again/);
});

it('the form to free an address from the account that claims it says so', async () => {
  const { id, email, call } = await registerVerified(server.url);
  const claimed = `claimed.${email}`;
  const body = { firstName: 'Ada', lastName: 'Lovelace', email: claimed };
  await call('PUT', `/users/${id}`, { body });
  const { token } = await mailTo(server.url, claimed);
  const page = open(`#free=${token}`);
  expect(page.inputs).toEqual([]);
  expect(await page.send({})).toBe('This e-mail address is free: no account has it.');
  expect((await call('GET', '/auth/me')).body).toMatchObject({ email });
});

describe('the form to join a workspace', () => {
  it('signs in, joins and leaves no session', async () => {
    const { email, call } = await registerVerified(server.url);
    const page = open(`#invitation=${await invited(email)}`);
    expect(page.inputs).toEqual(['register', 'email', 'password']);
    expect(await page.send({ email, password: PASSWORD })).toMatch(/^You have joined the .*\.$/);
    expect(await membersOf()).toContain(email);
    expect((await call<object[]>('GET', '/auth/sessions')).body).toHaveLength(1);
  });

  it('registers somebody', async () => {
    const email = 'new.member@example.com';
    const page = open(`#invitation=${await invited(email)}`);
    const values = { email, newPassword: NEW, firstName: 'Grace', lastName: 'Hopper' };
    expect(await page.send({ register: true, ...values })).toMatch(/^You have joined the work/);
    expect(await membersOf()).toContain(email);
  });

  it('says that the invitation was for another address, as the audit log does', async () => {
    const { email } = await registerVerified(server.url);
    const other = 'someone.else@example.com';
    const page = open(`#invitation=${await invited(other)}`);
    const said = await page.send({ email, password: PASSWORD });
    expect(said).toContain(`was for ${other}, and you have joined as ${email}`);
    const entry = await waitFor('the entry', async () => {
      const path = `${workspace.path}/audit-log`;
      const { body } = await owner.call<Result<'workspaces.listAudit'>>('GET', path);
      return body.find(({ changed }) => changed.includes('acceptedByOther'));
    });
    expect(entry).toMatchObject({ resource: { type: 'invitation' }, changed: ['acceptedByOther'] });
  });

  it('says why an invitation cannot be accepted', async () => {
    const { email } = await registerVerified(server.url);
    const token = await invited(email);
    expect((await acceptByToken(await registerVerified(server.url), token)).status).toBe(200);
    const page = open(`#invitation=${token}`);
    expect(await page.send({ email, password: 'wrong' })).toMatch(/password/i);
    expect(await page.send({ email, password: PASSWORD })).toMatch(/invitation/i);
    expect(await membersOf()).not.toContain(email);
  });
});
