import { randomBytes } from 'node:crypto';
import type { Result } from '../fixtures/e2e.ts';
import { type Answer, type RequestOptions, request } from './http.ts';
import { OPERATOR_DOMAIN } from './process.ts';
import { waitFor } from './wait.ts';

export const PASSWORD = 'correct horse battery staple';

/** A person of the service, signed in. */
export interface Person {
  id: number;
  email: string;
  token: string;
  refreshToken: string;
  /** A request as this person. */
  call<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>;
}

type Session = Result<'identity.signIn'>;

/** Registers somebody new; their address stays unverified. */
export async function register(
  base: string,
  name = 'Ada',
  domain = 'example.com',
): Promise<Person> {
  const email = `${name.toLowerCase()}.${randomBytes(5).toString('hex')}@${domain}`;
  const { status, body } = await request<Session>(base, 'POST', '/auth/register', {
    body: { email, password: PASSWORD, firstName: name, lastName: 'Lovelace' },
  });
  if (status !== 201) throw new Error(`registering answered ${status}`);
  return personOf(base, email, body);
}

function personOf(base: string, email: string, session: Session): Person {
  return {
    id: session.user.id,
    email,
    token: session.accessToken,
    refreshToken: session.refreshToken,
    call: (method, path, options = {}) =>
      request(base, method, path, { token: session.accessToken, ...options }),
  };
}

interface Mail {
  to: string;
  subject: string;
  text: string;
  token?: string;
}

/** The newest mail to an address that carries a token, of those with that subject if one is given. */
export async function mailTo(
  base: string,
  email: string,
  subject?: string,
): Promise<Mail & { token: string }> {
  return waitFor(`a mail to ${email}`, async () => {
    const { body } = await request<Mail[]>(base, 'GET', '/dev/outbox', { query: { to: email } });
    return body.find(
      (mail): mail is Mail & { token: string } =>
        mail.token !== undefined && (subject ?? mail.subject) === mail.subject,
    );
  });
}

/** Registers somebody, who verifies their address by the mailed token. */
export async function registerVerified(
  base: string,
  name = 'Ada',
  domain?: string,
): Promise<Person> {
  const person = await register(base, name, domain);
  const { token } = await mailTo(base, person.email);
  const { status } = await person.call('POST', '/auth/email/verify', { body: { token } });
  if (status !== 204) throw new Error(`verifying answered ${status}`);
  return person;
}

/** Registers an operator, where the test has not named other operators to the service. */
export const registerOperator = (base: string): Promise<Person> =>
  registerVerified(base, 'Olga', OPERATOR_DOMAIN);

/** A workspace of the person's own. */
export async function createWorkspace(owner: Person, name = 'Analytical Engines'): Promise<number> {
  const { status, body } = await owner.call<{ id: number }>('POST', '/workspaces', {
    query: { name },
  });
  if (status !== 201) throw new Error(`creating a workspace answered ${status}`);
  return body.id;
}

/** Somebody new with that role in the workspace. */
export async function addMember(
  base: string,
  owner: Person,
  workspaceId: number,
  role: string,
): Promise<Person> {
  const person = await registerVerified(base, role);
  const { status } = await owner.call('POST', `/workspaces/${workspaceId}/users`, {
    query: { userEmail: person.email, role },
  });
  if (status !== 201) throw new Error(`adding a member answered ${status}`);
  return person;
}
