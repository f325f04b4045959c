import { e2e, type FirstResult, type Refusable } from '../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { killProviders, type OidcProvider, startOidcProvider } from '../helpers/oidc-provider.ts';
import { waitFor } from '../helpers/wait.ts';

type Account = FirstResult<'identity.createServiceAccount'>;

const AUDIENCE = 'http://service.test';
let provider: OidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider(AUDIENCE);
});
const { server, owner, workspace, accounts } = e2e({
  env: () => ({ PUBLIC_URL: AUDIENCE, ...provider.env }),
});
afterAll(killProviders);
afterEach(() => provider.setMode({}));

const call = <T = unknown>(method: string, path: string, body?: object) =>
  owner.call<T & ProblemBody>(method, path, body && { body });
const create = (): Promise<Answer<Refusable<Account>>> =>
  call<Account>('POST', '/service-accounts', {
    workspaceId: workspace.id,
    name: 'Robot',
    role: 'MEMBER',
  });
const pathOf = ({ id }: Account) => `/service-accounts/${id}`;
const { statusOf: me, refused } = accounts;
const isClient = async ({ clientId }: Account) => (await provider.clients()).includes(clientId);
const listed = async () =>
  (await call<Account[]>('GET', `${workspace.path}/service-accounts`)).body as Account[];
const gone = (what: string, account: Account) =>
  waitFor(what, async () => !(await isClient(account)));

test('an account is a client of the provider, whose tokens are accepted until it is removed', async () => {
  const { status, body: account } = await create();
  expect(status).toBe(201);
  expect(await isClient(account)).toBe(true);
  const token = await provider.tokenOf(account);
  expect((await accounts.me(token)).body).toEqual({
    id: account.id,
    workspaceId: workspace.id,
    name: 'Robot',
    role: 'MEMBER',
  });
  expect((await call('DELETE', pathOf(account))).status).toBe(200);
  expect(await isClient(account)).toBe(false);
  await refused(token);
});

test('a token for another audience, a changed one and one of another issuer are refused', async () => {
  const { body: account } = await create();
  expect(await me(await provider.tokenOf(account, 'http://elsewhere.test'))).toBe(401);
  const [head = '', payload = '', signature = ''] = (await provider.tokenOf(account)).split('.');
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = encode({ ...claims, client_id: 'x' });
  expect(await me(`${head}.${forged}.${signature}`)).toBe(401);
  expect(await me(`${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`)).toBe(401);
  expect(await me(`${head}.${encode({ ...claims, iss: 'http://evil.test' })}.${signature}`)).toBe(
    401,
  );
});

test('tokens with unknown key ids do not make the service ask for keys again and again', async () => {
  const { body: account } = await create();
  const [, payload = '', signature = ''] = (await provider.tokenOf(account)).split('.');
  expect(await me(await provider.tokenOf(account))).toBe(200);
  const before = await provider.jwksRequests();
  for (let n = 0; n < 20; n++) {
    const head = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'at+jwt', kid: `k${n}` }));
    expect(await me(`${head.toString('base64url')}.${payload}.${signature}`)).toBe(401);
  }
  expect((await provider.jwksRequests()) - before).toBeLessThanOrEqual(1);
});

test('a new secret is a new client, and the old one goes with its tokens', async () => {
  const { body: account } = await create();
  const token = await provider.tokenOf(account);
  const { status, body: rotated } = await call<Account>('POST', `${pathOf(account)}/secret`);
  expect([status, rotated.id]).toEqual([200, account.id]);
  expect(await isClient(account)).toBe(false);
  await refused(token);
  expect(await me(await provider.tokenOf(rotated))).toBe(200);
});

test('POST /auth/token names the issuer', async () => {
  const body = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' };
  const answer = await request<object>(server.url, 'POST', '/auth/token', { body });
  expect([answer.status, answer.body]).toEqual([
    400,
    { error: 'unsupported_grant_type', error_description: expect.stringContaining(provider.url) },
  ]);
});

describe('while the provider', () => {
  it.each([
    ['answers 500', () => provider.setMode({ status: 500 }), () => provider.setMode({})],
    [
      'stands still',
      async () => provider.signal('SIGSTOP'),
      async () => provider.signal('SIGCONT'),
    ],
  ])('%s, changes are 503 and the account stays usable', async (_what, stop, resume) => {
    const { body: account } = await create();
    const token = await provider.tokenOf(account);
    expect(await me(token)).toBe(200);
    await stop();
    for (const [method, path] of [
      ['DELETE', pathOf(account)],
      ['POST', `${pathOf(account)}/secret`],
    ] as const) {
      const { status, body, headers } = await call(method, path);
      expect([status, body.code]).toEqual([503, 'IDENTITY_PROVIDER_UNAVAILABLE']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    const before = (await listed()).length;
    expect((await create()).status).toBe(503);
    expect(await listed()).toHaveLength(before);
    expect(await me(token)).toBe(200);
    await resume();
  });

  it('fails to remove the old client of a rotation, the rotation counts and the client goes later', async () => {
    const { body: account } = await create();
    await provider.setMode({ method: 'DELETE', status: 500 });
    const { status, body: rotated } = await call<Account>('POST', `${pathOf(account)}/secret`);
    expect(status).toBe(200);
    expect(await isClient(account)).toBe(true);
    await provider.setMode({});
    await gone('the removal of the old client', account);
    expect(await isClient(rotated)).toBe(true);
  });
});

test('an account whose client is gone at the provider is removed', async () => {
  const { body: account } = await create();
  const { body: other } = await create();
  await provider.setMode({ method: 'DELETE', delayAnswerMs: 20_000 });
  expect((await call('DELETE', pathOf(account))).status).toBe(503); // removed there, and not answered in time
  await provider.setMode({});
  expect(await isClient(account)).toBe(false);
  expect((await call('DELETE', pathOf(account))).status).toBe(200);
  expect((await call('GET', pathOf(other))).status).toBe(200);
});

describe('a process that is killed', () => {
  const killDuring = async (method: string, path: string, body?: object) => {
    const httpMethod = method === 'DELETE' ? 'DELETE' : 'POST';
    const before = (await provider.clients()).length;
    await provider.setMode({ method: httpMethod, delayAnswerMs: 60_000 });
    void call(method, path, body).catch(() => undefined);
    await waitFor('the provider', async () => (await provider.clients()).length !== before);
    await server.kill();
    await provider.setMode({});
    await server.restart();
  };

  it('after the provider has removed a client finishes the removal of the account', async () => {
    const { body: account } = await create();
    await killDuring('DELETE', pathOf(account));
    await waitFor('the removal', async () => (await call('GET', pathOf(account))).status === 404);
  });

  it('after the provider has registered a client leaves no account, and tells of the client', async () => {
    const before = (await listed()).length;
    await killDuring('POST', '/service-accounts', { workspaceId: workspace.id, name: 'Robot' });
    await waitFor('the log', async () => server.output().includes('A registration was cut off'));
    expect(await listed()).toHaveLength(before);
  });
});
