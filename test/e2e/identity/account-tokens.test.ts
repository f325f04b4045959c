import { decode, sign } from 'jsonwebtoken';
import { e2e, type FirstResult, type Refusable, type Result } from '../../fixtures/e2e.ts';
import { type ProblemBody, type RequestOptions, request } from '../../helpers/http.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, owner, workspace, accounts } = e2e();

type Account = FirstResult<'identity.createServiceAccount'>;
type Token = Refusable<Result<'identity.token'>> & { error: string };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const grant = { grant_type: 'client_credentials' };

const createAccount = (role = 'MEMBER') =>
  workspace.make<Account>('/service-accounts', { name: 'Robot', role });
const ask = (options: RequestOptions) => request<Token>(server.url, 'POST', '/auth/token', options);
const askWithForm = (form: Record<string, string>, headers = {}) =>
  ask({ raw: new URLSearchParams(form).toString(), headers: { ...FORM, ...headers } });
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
        workspaceId: workspace.id,
        name: 'Robot',
        role: 'MEMBER',
      });
    }
  });

  it('counts by the role of the account, in its own workspace alone', async () => {
    const token = await tokenOf(await createAccount('MEMBER'));
    const guest = await tokenOf(await createAccount('GUEST'));
    const elsewhere = await createWorkspace(owner, 'Elsewhere');
    const create = async (by: string, workspaceId: number) =>
      (await call(by, 'POST', '/flows', { body: { workspaceId, name: 'Flow' } })).status;
    expect(await create(token, workspace.id)).toBe(200);
    expect(await create(guest, workspace.id)).toBe(403);
    expect(await create(token, elsewhere)).toBe(404);
    expect((await call(token, 'GET', '/workspaces')).body).toEqual([
      { id: workspace.id, name: 'Analytical Engines', role: 'MEMBER' },
    ]);
    expect((await call(token, 'GET', '/flows/stats')).status).toBe(200);
    expect((await call(token, 'POST', '/workspaces?name=x')).status).toBe(403);
    expect((await call(token, 'GET', '/users')).status).toBe(403);
  });

  it('makes things in the name of the account', async () => {
    const account = await createAccount('ADMIN');
    const { id } = account;
    const token = await tokenOf(account);
    const body = { workspaceId: workspace.id, name: 'Child' };
    const child = await call<{ createdBy: object }>(token, 'POST', '/service-accounts', { body });
    const actor = { type: 'service-account', id, name: 'Robot' };
    expect(child.body.createdBy).toEqual(actor);
    await waitFor('the audit entry', async () => {
      const query = { actorType: 'service-account', actorId: id };
      const path = `${workspace.path}/audit-log`;
      const log = await owner.call<{ actor: object }[]>('GET', path, { query });
      return log.body.find((entry) => JSON.stringify(entry.actor) === JSON.stringify(actor));
    });
  });

  it.each([
    ['a new secret', (id: number) => ['POST', `/service-accounts/${id}/secret`]],
    ['the removal of the account', (id: number) => ['DELETE', `/service-accounts/${id}`]],
  ])('ends within a second of %s, and the old secret with it', async (_what, requestOf) => {
    const account = await createAccount();
    const token = await tokenOf(account);
    expect(await accounts.statusOf(token)).toBe(200);
    const [method = '', path = ''] = requestOf(account.id);
    const answer = await owner.call<Account>(method, path);
    expect(answer.status).toBe(200);
    const changed = performance.now();
    await accounts.refused(token);
    expect(performance.now() - changed).toBeLessThan(1_000);
    expect((await askWithForm(formOf(account))).status).toBe(401);
    if (!answer.body) return;
    expect(answer.body).toMatchObject({ id: account.id, clientId: account.clientId });
    expect((await askWithForm(formOf(answer.body))).status).toBe(200);
  });

  it('is refused when somebody else has signed it', async () => {
    const { id } = await createAccount();
    const forged = sign({ sub: `service-account:${id}`, sid: 'x' }, 'secret');
    expect(await accounts.statusOf(forged)).toBe(401);
  });
});

describe('a request for a token that is refused', () => {
  type Ask = (account: Account) => RequestOptions;
  const json =
    (fields: object): Ask =>
    (account) => ({ body: { ...formOf(account), ...fields } });
  const raw =
    (text: string, headers: Record<string, string> = FORM): Ask =>
    () => ({ raw: text, headers });
  it.each<[string, number, string, Ask]>([
    ['a wrong secret', 401, 'invalid_client', json({ client_secret: 'x' })],
    ['an unknown client', 401, 'invalid_client', json({ client_id: 'x' })],
    ['two ways', 400, 'invalid_request', (a) => ({ body: formOf(a), headers: basicOf(a) })],
    ['no grant type', 400, 'invalid_request', json({ grant_type: '' })],
    ['another grant type', 400, 'unsupported_grant_type', json({ grant_type: 'password' })],
    ['a scope', 400, 'invalid_scope', json({ scope: 'admin' })],
    [
      'a parameter given twice',
      400,
      'invalid_request',
      (a) => raw(`${new URLSearchParams(formOf(a))}&client_id=x`)(a),
    ],
    ['a secret in the query', 400, 'invalid_request', (a) => ({ body: grant, query: formOf(a) })],
    ['a broken form', 400, 'invalid_request', raw('grant_type=%ff')],
    ['broken JSON', 400, 'invalid_request', raw('{', { 'content-type': 'application/json' })],
    ['a number', 400, 'invalid_request', json({ client_id: 1 })],
    ['no body', 400, 'invalid_request', () => ({})],
    ['another type', 415, 'invalid_request', raw('x', { 'content-type': 'text/plain' })],
    ['a long body', 413, 'invalid_request', raw('a'.repeat(20_000))],
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
});
