import type { Refusable, Result } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { faults } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';
import { type Credential, makeTeam, OPEN, type Team } from './auth-credentials/team.ts';

type Description = Result<'connections.getApiDescription'>;
type DescriptionAnswer = Answer<Refusable<Description>>;

let team: Team;
/** A credential for `https://shop.example` only. */
let shop: Credential;
/** A credential without origins. */
let open: Credential;
beforeAll(async () => {
  team = await makeTeam();
  const allowedOrigins = ['https://shop.example'];
  shop = (await team.create({ name: 'Shop', authType: 'NONE', allowedOrigins })).body;
  open = (await team.create(OPEN)).body;
});

const URL_OF_ORDER = 'https://shop.example/orders/{orderId}?since={since}';
const bodyOf = (changes: object = {}) => ({
  workspaceId: team.workspaceId,
  name: 'One order',
  description: 'By its id',
  url: URL_OF_ORDER,
  methodType: 'GET',
  authCredentialId: shop.id,
  ...changes,
});
const post = (changes?: object): Promise<DescriptionAnswer> =>
  team.owner.call('POST', '/api-descriptions', { body: bodyOf(changes) });
const put = (body: object): Promise<DescriptionAnswer> =>
  team.owner.call('PUT', '/api-descriptions', { body });
const get = (id: number): Promise<DescriptionAnswer> =>
  team.owner.call('GET', `/api-descriptions/${id}`);

describe('an API description', () => {
  it('is answered with the fields of the specification, alone and in the list', async () => {
    const { status, body } = await post();
    expect(status).toBe(200);
    const { workspaceId, authCredentialId, ...fields } = bodyOf();
    const authCredentials = { id: shop.id, name: 'Shop', authType: 'NONE' };
    expect(body).toEqual({ id: expect.any(Number), ...fields, authCredentials });
    expect((await get(body.id)).body).toEqual(body);
    const path = `/workspaces/${team.workspaceId}/api-descriptions`;
    expect((await team.owner.call<Description[]>('GET', path)).body).toContainEqual(body);
  });

  it('is deleted with an empty answer', async () => {
    const { id } = (await post()).body;
    const { status, text } = await team.owner.call('DELETE', `/api-descriptions/${id}`);
    expect([status, text]).toEqual([200, '']);
    expect((await get(id)).status).toBe(404);
  });

  it('is made once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one-description' };
    const send = () =>
      team.owner.call<Description>('POST', '/api-descriptions', { body: bodyOf(), headers });
    const first = await send();
    const second = await send();
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  it('keeps its credential from being deleted, and names itself', async () => {
    const credential = (await team.create(OPEN)).body;
    const { id } = (await post({ authCredentialId: credential.id })).body;
    const path = `/auth-credentials/${credential.id}`;
    const refused = await team.owner.call<ProblemBody>('DELETE', path);
    expect([refused.status, refused.body.code]).toEqual([409, 'CREDENTIAL_IN_USE']);
    expect(refused.body.detail).toContain(`API description ${id} (One order)`);
    await team.owner.call('DELETE', `/api-descriptions/${id}`);
    expect((await team.owner.call('DELETE', path)).status).toBe(204);
  });
});

describe('a URL', () => {
  it.each([
    'shop.example/orders',
    '/orders',
    'ftp://shop.example/orders',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:password@shop.example/',
    'https://user@shop.example/',
    'https://{host}.example/',
    'https://shop.example:{port}/',
    '{scheme}://shop.example/',
    'https://{user}@shop.example/',
    'https://shop.example/{orderId',
    'https://shop.example/orderId}',
    'https://shop.example/{}',
    'https://shop.example/{order id}',
    'https://shop.example/a/../{orderId}',
    'https://shop.example/%',
    'https://shop.example/#part',
    'https://shop.example/ orders',
    'https://shop.example\\orders',
    `https://shop.example/${'a'.repeat(8_000)}`,
    '',
  ])('%s is refused by its name', async (url) => {
    const { status, body } = await post({ url });
    expect([status, faults(body)]).toEqual([400, ['url']]);
  });

  it.each([
    'https://shop.example',
    'https://shop.example./orders',
    'HTTPS://SHOP.example:443/orders?a={a}&b=%20',
    'https://shop.example/a-{one}-b/{two}/c',
  ])('%s is kept as it is given', async (url) => {
    const { status, body } = await post({ url });
    expect([status, body.url]).toEqual([200, url]);
  });

  it.each(['http://shop.example/', 'https://shop.example:8443/', 'https://other.example/'])(
    '%s is refused where the credential does not allow its origin',
    async (url) => {
      const { status, body } = await post({ url });
      expect([status, faults(body)]).toEqual([400, ['authCredentialId']]);
      expect((await post({ url, authCredentialId: open.id })).status).toBe(200);
    },
  );
});

describe('a credential of a description', () => {
  it('belongs to the workspace', async () => {
    const elsewhere = await createWorkspace(team.owner);
    const { body: other } = await team.create({ ...OPEN, workspaceId: elsewhere });
    const { id } = (await post()).body;
    for (const authCredentialId of [other.id, 987_654_321]) {
      const { status, body } = await post({ authCredentialId });
      expect([status, faults(body)]).toEqual([400, ['authCredentialId']]);
      const changed = await put({ apiDescriptionId: id, authCredentialId });
      expect([changed.status, faults(changed.body)]).toEqual([400, ['authCredentialId']]);
    }
    const { status, body } = await put({ apiDescriptionId: id, authCredentials: { id: other.id } });
    expect([status, faults(body)]).toEqual([400, ['authCredentials.id']]);
  });
});

describe('a change', () => {
  it('by what GET answered changes nothing, also where the credential would be refused by now', async () => {
    const allowedOrigins = ['https://shop.example'];
    const credential = (await team.create({ ...OPEN, allowedOrigins })).body;
    const { body: made } = await post({ authCredentialId: credential.id });
    await team.update({ authCredentialId: credential.id, allowedOrigins: ['https://b.example'] });
    const { headers } = await get(made.id);
    const { status, body } = await put({ apiDescriptionId: made.id, ...made });
    expect([status, body]).toEqual([200, made]);
    expect((await get(made.id)).headers.etag).toBe(headers.etag);
    const other = { apiDescriptionId: made.id, url: 'https://shop.example/' };
    expect(faults((await put(other)).body)).toEqual(['authCredentialId']);
  });

  it('of URL and credential together is compared as a whole', async () => {
    const { id } = (await post()).body;
    const url = 'https://other.example/{a}';
    const refused = await put({ apiDescriptionId: id, url });
    expect([refused.status, faults(refused.body)]).toEqual([400, ['authCredentialId']]);
    const { status, body } = await put({
      apiDescriptionId: id,
      url,
      authCredentials: { id: open.id },
    });
    expect([status, body]).toMatchObject([200, { url, authCredentials: { id: open.id } }]);
  });

  it('that contradicts itself or the description is refused', async () => {
    const { id } = (await post()).body;
    const two = { authCredentialId: open.id, authCredentials: { id: shop.id } };
    expect(faults((await put({ apiDescriptionId: id, ...two })).body)).toEqual([
      'authCredentialId',
    ]);
    expect(faults((await put({ apiDescriptionId: id, id: id + 1 })).body)).toEqual(['id']);
    expect(faults((await put({ apiDescriptionId: id, methodType: 'TRACE' })).body)).toEqual([
      'methodType',
    ]);
  });

  it('with another If-Match is refused', async () => {
    const { id } = (await post()).body;
    const change = (ifMatch: string) =>
      team.owner.call<ProblemBody>('PUT', '/api-descriptions', {
        body: { apiDescriptionId: id, name: 'changed' },
        headers: { 'if-match': ifMatch },
      });
    expect((await change('"other"')).status).toBe(412);
    expect((await get(id)).body.name).toBe('One order');
    const { headers } = await get(id);
    expect((await change(String(headers.etag))).status).toBe(200);
  });
});
