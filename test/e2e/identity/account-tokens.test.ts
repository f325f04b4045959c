import { decode, sign } from 'jsonwebtoken';
import { e2e, type FirstResult } from '../../fixtures/e2e.ts';
import { type Answer, type ProblemBody, type RequestOptions, request } from '../../helpers/http.ts';
import { createWorkspace, registerVerified } from '../../helpers/people.ts';
import { startServer, stopServers } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, owner } = e2e();

let workspaceId: number;
beforeAll(async () => {
  workspaceId = await createWorkspace(owner, 'Robots');
});
afterAll(stopServers);

type Account = FirstResult<'identity.createServiceAccount'>;
interface Token {
  access_token: string;
  token_type: string;
  expires_in: number;
  error: string;
  error_description: string;
}
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const grant = { grant_type: 'client_credentials' };

async function createAccount(
  role = 'MEMBER',
  person = owner,
  workspace = workspaceId,
): Promise<Account> {
  const body = { workspaceId: workspace, name: 'Robot', role };
  return (await person.call<Account>('POST', '/service-accounts', { body })).body;
}
const ask = (options: RequestOptions, url = server.url): Promise<Answer<Token>> =>
  request<Token>(url, 'POST', '/auth/token', options);
const askWithForm = (form: Record<string, string>, headers = {}, url?: string) =>
  ask({ raw: new URLSearchParams(form).toString(), headers: { ...FORM, ...headers } }, url);
const formOf = ({ clientId, clientSecret }: Account) => ({
  ...grant,
  client_id: clientId,
  client_secret: clientSecret,
});
const basicOf = ({ clientId, clientSecret }: Account) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
});
const tokenOf = async (account: Account): Promise<string> =>
  (await askWithForm(formOf(account))).body.access_token;
const call = <T>(token: string, method: string, path: string, options: RequestOptions = {}) =>
  request<T & ProblemBody>(server.url, method, path, { token, ...options });

describe('a token of a service account', () => {
  it('is given for the secret in a form, in JSON, and with HTTP Basic', async () => {
    const account = await createAccount();
    for (const answer of [
      await askWithForm(formOf(account)),
      await ask({ body: formOf(account) }),
      await askWithForm(grant, basicOf(account)),
      await askWithForm(
        { ...grant, scope: '', client_id: account.clientId, audience: 'x' },
        basicOf(account),
      ),
    ]) {
      expect([answer.status, answer.body]).toEqual([
        200,
        { access_token: expect.any(String), token_type: 'Bearer', expires_in: 900 },
      ]);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers.pragma).toBe('no-cache');
      const { access_token: token } = answer.body;
      expect(decode(token, { complete: true })).toMatchObject({
        header: { alg: 'ES256', typ: 'at+jwt' },
        payload: { sub: `service-account:${account.id}`, client_id: account.clientId },
      });
      expect((await call(token, 'GET', '/auth/me')).body).toEqual({
        id: account.id,
        workspaceId,
        name: 'Robot',
        role: 'MEMBER',
      });
    }
  });

  it('counts by the role of the account, in its own workspace alone', async () => {
    const token = await tokenOf(await createAccount('MEMBER'));
    const guest = await tokenOf(await createAccount('GUEST'));
    const elsewhere = await createWorkspace(owner, 'Elsewhere');
    const flow = (workspace: number) => ({
      body: { workspaceId: workspace, name: `Flow ${Math.random()}` },
    });
    expect((await call(token, 'POST', '/flows', flow(workspaceId))).status).toBe(200);
    expect((await call(guest, 'POST', '/flows', flow(workspaceId))).status).toBe(403);
    expect((await call(token, 'POST', '/flows', flow(elsewhere))).status).toBe(404);
    expect((await call(token, 'GET', '/workspaces')).body).toEqual([
      { id: workspaceId, name: 'Robots', role: 'MEMBER' },
    ]);
    expect((await call(token, 'GET', '/flows/stats')).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/workspaces?name=x'],
      ['GET', '/users'],
    ] as const) {
      expect((await call(token, method, path)).status).toBe(403);
    }
  });

  it('makes things in the name of the account', async () => {
    const { id, ...account } = await createAccount('ADMIN');
    const token = await tokenOf({ id, ...account });
    const body = { workspaceId, name: 'Child' };
    const child = await call<{ createdBy: object }>(token, 'POST', '/service-accounts', { body });
    const actor = { type: 'service-account', id, name: 'Robot' };
    expect(child.body.createdBy).toEqual(actor);
    await waitFor('the audit entry', async () => {
      const log = await owner.call<{ actor: object }[]>(
        'GET',
        `/workspaces/${workspaceId}/audit-log`,
        {
          query: { actorType: 'service-account', actorId: id },
        },
      );
      return log.body.find((entry) => JSON.stringify(entry.actor) === JSON.stringify(actor));
    });
  });

  it.each([
    ['a new secret', (id: number) => ['POST', `/service-accounts/${id}/secret`]],
    ['the removal of the account', (id: number) => ['DELETE', `/service-accounts/${id}`]],
  ])('ends within a second of %s, and the old secret with it', async (_what, requestOf) => {
    const account = await createAccount();
    const token = await tokenOf(account);
    expect((await call(token, 'GET', '/auth/me')).status).toBe(200);
    const [method = '', path = ''] = requestOf(account.id);
    const answer = await owner.call<Account>(method, path);
    expect(answer.status).toBe(200);
    const changed = performance.now();
    await waitFor('the refusal', async () => (await call(token, 'GET', '/auth/me')).status === 401);
    expect(performance.now() - changed).toBeLessThan(1_000);
    expect((await askWithForm(formOf(account))).status).toBe(401);
    if (!answer.body) return;
    expect(answer.body).toMatchObject({ id: account.id, clientId: account.clientId });
    expect((await askWithForm(formOf(answer.body))).status).toBe(200);
  });

  it('is refused when somebody else has signed it', async () => {
    const { id } = await createAccount();
    const forged = sign({ sub: `service-account:${id}`, sid: 'x' }, 'secret');
    expect((await call(forged, 'GET', '/auth/me')).status).toBe(401);
  });
});

describe('a request for a token that is refused', () => {
  it.each<[string, number, string, (account: Account) => RequestOptions]>([
    [
      'a wrong secret',
      401,
      'invalid_client',
      (a) => ({ body: { ...formOf(a), client_secret: 'x' } }),
    ],
    [
      'an unknown client',
      401,
      'invalid_client',
      (a) => ({ body: { ...formOf(a), client_id: 'x' } }),
    ],
    ['no client', 401, 'invalid_client', () => ({ body: grant })],
    [
      'another scheme',
      401,
      'invalid_client',
      () => ({ body: grant, headers: { authorization: 'Bearer x' } }),
    ],
    ['two ways', 400, 'invalid_request', (a) => ({ body: formOf(a), headers: basicOf(a) })],
    ['no grant type', 400, 'invalid_request', (a) => ({ body: { ...formOf(a), grant_type: '' } })],
    [
      'another grant type',
      400,
      'unsupported_grant_type',
      (a) => ({ body: { ...formOf(a), grant_type: 'password' } }),
    ],
    ['a scope', 400, 'invalid_scope', (a) => ({ body: { ...formOf(a), scope: 'admin' } })],
    [
      'a parameter given twice',
      400,
      'invalid_request',
      (a) => ({
        raw: `${new URLSearchParams(formOf(a))}&client_id=x`,
        headers: FORM,
      }),
    ],
    ['a secret in the query', 400, 'invalid_request', (a) => ({ body: grant, query: formOf(a) })],
    ['a broken form', 400, 'invalid_request', () => ({ raw: 'grant_type=%ff', headers: FORM })],
    [
      'broken JSON',
      400,
      'invalid_request',
      () => ({ raw: '{', headers: { 'content-type': 'application/json' } }),
    ],
    ['a number', 400, 'invalid_request', (a) => ({ body: { ...formOf(a), client_id: 1 } })],
    ['no body', 400, 'invalid_request', () => ({})],
    [
      'another type',
      415,
      'invalid_request',
      () => ({ raw: 'x', headers: { 'content-type': 'text/plain' } }),
    ],
    ['a long body', 413, 'invalid_request', () => ({ raw: 'a'.repeat(20_000), headers: FORM })],
  ])('for %s is %i %s', async (_what, status, error, optionsOf) => {
    const answer = await ask(optionsOf(await createAccount()));
    expect([answer.status, answer.body]).toEqual([
      status,
      { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
    ]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(String(answer.headers['www-authenticate'] ?? '').startsWith('Basic ')).toBe(
      status === 401,
    );
  });

  it('is limited per client and network', async () => {
    const { url } = await startServer({ env: { SIGN_IN_LIMIT: '3/60' } });
    const person = await registerVerified(url, 'Limited');
    const workspace = await createWorkspace(person);
    const account = await createAccount('AGENT', person, workspace);
    const other = await createAccount('AGENT', person, workspace);
    const wrong = { ...formOf(account), client_secret: 'wrong' };
    for (let n = 0; n < 3; n++) expect((await askWithForm(wrong, {}, url)).status).toBe(401);
    const limited = await askWithForm(formOf(account), {}, url);
    expect([limited.status, limited.headers['content-type']]).toEqual([
      429,
      'application/problem+json',
    ]);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await askWithForm(formOf(other), {}, url)).status).toBe(200);
  });
});
