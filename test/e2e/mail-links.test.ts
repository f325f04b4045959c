import { e2e } from '../fixtures/e2e.ts';
import { type RequestOptions, request } from '../helpers/http.ts';
import {
  createWorkspace,
  mailTo,
  PASSWORD as password,
  registerVerified,
} from '../helpers/people.ts';

/** Headers by which a stranger would have the links lead elsewhere. */
const headers = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'http',
  forwarded: 'host=evil.example;proto=http',
};

const { server, owner: person } = e2e({
  env: { PUBLIC_URL: 'https://flows.example/app/', TRUSTED_PROXIES: '127.0.0.0/8' },
});

const post = (path: string, options: RequestOptions) =>
  request(server.url, 'POST', path, { headers, ...options });

/** Expects the newest such mail to have the token bare and in links of `PUBLIC_URL`, and no other link. */
async function expectLink(email: string, purpose: string, subject: string): Promise<void> {
  const { text, token } = await mailTo(server.url, email, subject);
  const links = purpose.split(' ').map((one) => `https://flows.example/app/#${one}=${token}`);
  expect(text.match(/https?:\S+/g)).toEqual(links);
  expect(text).toContain(`\n\nToken: ${token}\n\n`);
  expect(text).not.toContain('evil.example');
}

describe('the link of a mail comes from PUBLIC_URL alone', () => {
  it('to verify an address', async () => {
    const email = 'new.person@example.com';
    const body = { email, password, firstName: 'Ada', lastName: 'Lovelace' };
    expect((await post('/auth/register', { body })).status).toBe(201);
    await expectLink(email, 'verify', 'Verify your e-mail address');
  });

  it('to confirm the registration of a directory entry', async () => {
    const email = 'entry@example.com';
    const body = { email, firstName: 'Ada', lastName: 'Lovelace' };
    await person.call('POST', '/users', { body });
    expect((await post('/auth/register', { body: { ...body, password } })).status).toBe(202);
    await expectLink(email, 'verify', 'Confirm your registration');
  });

  it('to set a new password', async () => {
    const { email } = person;
    expect((await post('/auth/password/forgot', { body: { email } })).status).toBe(202);
    await expectLink(email, 'reset', 'Set a new password');
  });

  it('to verify a changed address', async () => {
    const { id, call } = await registerVerified(server.url);
    const email = 'another.address@example.com';
    const body = { firstName: 'Ada', lastName: 'Lovelace', email };
    expect((await call('PUT', `/users/${id}`, { headers, body })).status).toBe(200);
    await expectLink(email, 'verify free', 'Verify your e-mail address');
  });

  it('to join a workspace', async () => {
    const email = 'invited@example.com';
    const workspaceId = await createWorkspace(person);
    const body = { workspaceId, email, role: 'MEMBER' };
    const { status } = await person.call('POST', '/workspaces/invitations', { headers, body });
    expect(status).toBe(200);
    await expectLink(email, 'invitation', 'An invitation to a workspace');
  });
});

it('the OpenAPI document and the first steps name PUBLIC_URL', async () => {
  const { body } = await request<{ servers: unknown }>(server.url, 'GET', '/openapi.json');
  expect(body.servers).toEqual([{ url: 'https://flows.example/app' }]);
  const { text } = await request(server.url, 'GET', '/');
  expect(text).toContain("BASE='https://flows.example/app'\n");
});
