import { randomBytes } from 'node:crypto';
import type { AuditEntry } from '../../contract/audit.ts';
import { e2e, type Refusable, type Result } from '../fixtures/e2e.ts';
import { type ProblemBody, request } from '../helpers/http.ts';
import { pagesOf } from '../helpers/pages.ts';
import {
  createWorkspace,
  mailTo,
  PASSWORD,
  type Person,
  register,
  registerVerified,
} from '../helpers/people.ts';
import { OPERATOR_DOMAIN } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait.ts';

type EmailDomain = Result<'identity.getEmailDomain'>;

const { server, owner, operator, workspace } = e2e({
  env: { RATE_LIMIT: 'off', SIGN_IN_LIMIT: 'off' },
});

const newDomain = () => `${randomBytes(6).toString('hex')}.example`;
const list = (body: object, by = operator) =>
  by.call<Refusable<EmailDomain>>('POST', '/email-domains', { body });
const pathOf = ({ id }: { id: number }) => `/email-domains/${id}`;
async function listed(details: object = {}): Promise<EmailDomain> {
  const { status, body } = await list({ domain: newDomain(), ...details });
  expect(status).toBe(201);
  return body;
}
const faultsOf = ({ errors = [] }: ProblemBody) =>
  errors.map(({ path, code }) => `${path} ${code}`);

describe('an e-mail domain', () => {
  it('is listed, read, changed and removed by operators', async () => {
    const domain = newDomain();
    const { status, body, headers } = await list({ domain: ` ${domain.toUpperCase()} ` });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        domain,
        autoJoinWorkspaceId: null,
        autoJoinRole: 'GUEST',
        createdAt: expect.any(String),
        updatedAt: body.createdAt,
      },
    ]);
    expect(headers.location).toBe(pathOf(body));
    const details = { autoJoinWorkspaceId: workspace.id, autoJoinRole: 'MEMBER' };
    const changed = await operator.call<EmailDomain>('PUT', pathOf(body), { body: details });
    expect(changed.body).toEqual({ ...body, ...details, updatedAt: expect.any(String) });
    const read = await operator.call<EmailDomain>('GET', pathOf(body));
    expect(read.body).toEqual(changed.body);
    const back = await operator.call<EmailDomain>('PUT', pathOf(body), { body: read.body });
    expect(back.body).toEqual(read.body);
    const removed = await operator.call('DELETE', pathOf(body));
    expect([removed.status, removed.text]).toEqual([200, '']);
    expect((await operator.call('GET', pathOf(body))).status).toBe(404);
    expect((await operator.call('DELETE', pathOf(body))).status).toBe(404);
    expect((await list({ domain })).status).toBe(201); // the name is free again
  });

  it('stands on the pages of the list until it is removed', async () => {
    const [first, second] = [await listed(), await listed()];
    await operator.call('DELETE', pathOf(first));
    const found = (await pagesOf<EmailDomain>(operator, '/email-domains?limit=2')).flat();
    expect(found).toContainEqual(second);
    expect(found.map(({ id }) => id)).not.toContain(first.id);
  });

  it.each(['GET', 'PUT', 'DELETE'])(
    'is 403 to %s by others, also where there is none',
    async (method) => {
      const { id } = await listed();
      const unverified = await register(server.url, 'Olga', OPERATOR_DOMAIN);
      const almost = await registerVerified(server.url, 'Olga', `sub.${OPERATOR_DOMAIN}`);
      for (const person of [owner, unverified, almost]) {
        for (const each of [id, 999_999_999]) {
          const { status } = await person.call(method, pathOf({ id: each }), {
            body: { domain: 1 },
          });
          expect(status).toBe(403);
        }
      }
      expect((await operator.call('GET', pathOf({ id }))).status).toBe(200);
    },
  );

  it('is not listed by others', async () => {
    expect((await list({ domain: newDomain() }, owner)).status).toBe(403);
    expect((await owner.call('GET', '/email-domains')).status).toBe(403);
  });

  it.each([
    'example',
    'example.com.',
    '.example.com',
    'exa mple.com',
    'a..example.com',
    '-a.example',
    '@example.com',
    'user@example.com',
    'example.com/x',
    '10.0.0.1',
    '[::1]',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}aa`,
    'exam\u200dple.com',
    'exa%6dple.com',
    '',
    null,
    7,
  ])('%j is no domain', async (domain) => {
    const { status, body } = await list({ domain });
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['domain']]);
    const { id } = await listed();
    expect((await operator.call('PUT', pathOf({ id }), { body: { domain } })).status).toBe(400);
  });

  it('is listed once, in whatever spelling', async () => {
    const name = randomBytes(4).toString('hex');
    const { body } = await list({ domain: `b\u00fccher-${name}.example` });
    expect(body.domain).toMatch(/^xn--/);
    for (const domain of [body.domain, `BU\u0308CHER-${name}.example`]) {
      const { status, body: problem } = await list({ domain });
      expect([status, faultsOf(problem)]).toEqual([400, ['domain duplicate']]);
    }
    const other = await listed();
    const { status } = await operator.call('PUT', pathOf(other), { body: { domain: body.domain } });
    expect(status).toBe(400);
  });

  it.each([
    [{ autoJoinWorkspaceId: 999_999_999 }, 'autoJoinWorkspaceId not_found'],
    [{ autoJoinRole: 'ADMIN' }, 'autoJoinRole invalid_value'],
    [{ autoJoinRole: 'OWNER' }, 'autoJoinRole invalid_value'],
  ])('%j is refused', async (details, fault) => {
    const { status, body } = await list({ domain: newDomain(), ...details });
    expect([status, faultsOf(body)]).toEqual([400, [fault]]);
    const changed = await operator.call<ProblemBody>('PUT', pathOf(await listed()), {
      body: details,
    });
    expect([changed.status, faultsOf(changed.body)]).toEqual([400, [fault]]);
  });
});

describe('the workspace of a listed domain', () => {
  it('is null once it is deleted, as by a change of the domain', async () => {
    const id = await createWorkspace(owner);
    const listing = await listed({ autoJoinWorkspaceId: id });
    const other = await listed({ autoJoinWorkspaceId: workspace.id });
    const before = await operator.call<EmailDomain>('GET', pathOf(listing));
    expect((await owner.call('DELETE', `/workspaces/${id}`)).status).toBe(204);
    const { body } = await waitFor('the change', async () => {
      const read = await operator.call<EmailDomain>('GET', pathOf(listing));
      return read.body.autoJoinWorkspaceId === null && read;
    });
    expect(body).toEqual({ ...listing, autoJoinWorkspaceId: null, updatedAt: body.updatedAt });
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(listing.updatedAt));
    const headers = { 'if-match': String(before.headers.etag) };
    const stale = await operator.call('PUT', pathOf(listing), { body: before.body, headers });
    expect(stale.status).toBe(412);
    expect((await operator.call('PUT', pathOf(listing), { body })).body).toEqual(body);
    expect((await operator.call('GET', pathOf(other))).body).toEqual(other);
  });
});

describe('a user of a listed domain', () => {
  const roleOf = async (person: Person) => {
    const { body } = await person.call<{ id: number; role: string }[]>('GET', '/workspaces');
    return body.find(({ id }) => id === workspace.id)?.role;
  };
  const joined = (person: Person) =>
    waitFor('the membership', async () => (await roleOf(person)) !== undefined);

  it('joins the workspace of the domain when the address is verified, and not before', async () => {
    const { domain } = await listed({
      autoJoinWorkspaceId: workspace.id,
      autoJoinRole: 'MEMBER',
    });
    const person = await register(server.url, 'Grace', domain);
    expect(await roleOf(person)).toBeUndefined();
    const { token } = await mailTo(server.url, person.email);
    await person.call('POST', '/auth/email/verify', { body: { token } });
    await joined(person);
    expect(await roleOf(person)).toBe('MEMBER');
    const query = { operation: 'workspaces.autoJoin', resourceId: person.id };
    const path = `${workspace.path}/audit-log`;
    const [entry] = await waitFor('the audit entry', async () => {
      const { body } = await owner.call<AuditEntry[]>('GET', path, { query });
      return body.length > 0 && body;
    });
    expect(entry).toMatchObject({ actor: { type: 'system', name: 'workspaces' }, via: 'system' });
  });

  it('keeps the role of an earlier membership', async () => {
    const { domain } = await listed({ autoJoinWorkspaceId: workspace.id });
    const person = await register(server.url, 'Grace', domain);
    const query = { userEmail: person.email, role: 'ADMIN' };
    await owner.call('POST', `${workspace.path}/users`, { query });
    const { token } = await mailTo(server.url, person.email);
    await person.call('POST', '/auth/email/verify', { body: { token } });
    await joined(person);
    expect(await roleOf(person)).toBe('ADMIN');
  });

  it('joins nothing with an address of a subdomain, or of a domain that ends alike', async () => {
    const { domain } = await listed({ autoJoinWorkspaceId: workspace.id });
    const marker = await registerVerified(server.url, 'Last', domain);
    const people = [
      await registerVerified(server.url, 'Grace', `sub.${domain}`),
      await registerVerified(server.url, 'Grace', `not${domain}`),
    ];
    await joined(marker);
    for (const person of people) expect(await roleOf(person)).toBeUndefined();
  });
});

describe('REGISTRATION=domains', () => {
  let domain: string;
  beforeAll(async () => {
    domain = newDomain();
    await list({ domain });
    await server.stop();
    await server.restart({ REGISTRATION: 'domains' });
  });
  const registerAt = (email: string) =>
    request<ProblemBody>(server.url, 'POST', '/auth/register', {
      body: { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' },
    });

  it('admits addresses of listed domains alone', async () => {
    expect((await registerAt(`ada@${domain}`)).status).toBe(201);
    expect((await registerAt(`grace@${domain.toUpperCase()}`)).status).toBe(201);
    for (const other of [`ada@sub.${domain}`, `ada@x${domain}`, 'ada@other.example']) {
      const { status, body } = await registerAt(other);
      expect([status, body.code]).toEqual([403, 'EMAIL_DOMAIN_NOT_ALLOWED']);
    }
  });

  it('admits no other address to an account that changes its address', async () => {
    const person = await register(server.url, 'Ada', domain);
    const change = (email: string) =>
      person.call<ProblemBody>('PUT', `/users/${person.id}`, {
        body: { firstName: 'Ada', lastName: 'Lovelace', email },
      });
    const { status, body } = await change(`${randomBytes(6).toString('hex')}@other.example`);
    expect([status, body.code]).toEqual([403, 'EMAIL_DOMAIN_NOT_ALLOWED']);
    expect((await change(`${randomBytes(6).toString('hex')}@${domain}`)).status).toBe(200);
  });
});
