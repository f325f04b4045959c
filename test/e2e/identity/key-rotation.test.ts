import { randomUUID } from 'node:crypto';
import { e2e, type FirstResult, type Refusable, type Result } from '../../fixtures/e2e.ts';
import { request } from '../../helpers/http.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';

const MAX_GRACE_MS = 7 * 24 * 3_600_000;

const { server, owner, workspace } = e2e();

let elsewhere: number;

beforeAll(async () => {
  elsewhere = await createWorkspace(owner, 'Elsewhere');
});

type Key = Refusable<Result<'identity.createApiKey'>>;
const create = (fields: object = {}) =>
  workspace.make<FirstResult<'identity.createApiKey'>>('/api-keys', {
    name: 'Form',
    scopes: ['issues:create'],
    ...fields,
  });
const rotate = (id: number, options: object = {}) =>
  owner.call<Key>('POST', `/api-keys/${id}/rotate`, options);
const rotated = async (id: number, graceMs: number) =>
  (await rotate(id, { body: { graceMs } })).body.key ?? '';
/** Returns the status of a request with a key that reports no issue: 400 where the key may. */
const use = async (key: string) =>
  (
    await request(server.url, 'POST', `${workspace.issues}/external`, {
      headers: { 'x-api-key': key },
      body: {},
    })
  ).status;
const ACCEPTED = 400;
const refused = (key: string) =>
  waitFor('the refusal', async () => (await use(key)) === 401, 1_000);

describe('rotating an API key', () => {
  it('answers a new key once, under the same id, and ends the old one', async () => {
    const { id, key } = await create();
    expect(await use(key)).toBe(ACCEPTED);
    const { status, body } = await rotate(id); // without a body
    expect([status, body.id]).toEqual([200, id]);
    expect(body.key).toMatch(/^wsk_[0-9A-Za-z]{38}$/);
    expect(body.key).not.toBe(key);
    await refused(key);
    expect(await use(body.key ?? '')).toBe(ACCEPTED);
    const list = await owner.call<Key[]>('GET', `${workspace.path}/api-keys`);
    const { key: next, ...shown } = body;
    expect(list.body.find((one) => one.id === id)).toEqual({
      ...shown,
      lastUsedAt: expect.any(String),
    });
    expect([body.prefix, body.lastFour]).toEqual([next?.slice(0, 8), next?.slice(-4)]);
    expect(list.text).not.toContain(next);
  });

  it('leaves the old key its grace time, and a revocation ends both', async () => {
    const { id, key } = await create();
    const next = await rotated(id, MAX_GRACE_MS);
    for (const one of [key, next]) expect(await use(one)).toBe(ACCEPTED);
    expect((await owner.call('DELETE', `/api-keys/${id}`)).status).toBe(204);
    await Promise.all([key, next].map(refused));
  });

  it('refuses the old key after its grace time', async () => {
    const { id, key } = await create();
    await rotated(id, 1_500);
    expect(await use(key)).toBe(ACCEPTED);
    await waitFor('the end', async () => (await use(key)) === 401, 5_000);
  });

  it('is refused of a revoked and of an expired key', async () => {
    const revoked = await create();
    await owner.call('DELETE', `/api-keys/${revoked.id}`);
    const expired = await create({ expiresAt: new Date(Date.now() + 1_000).toISOString() });
    await waitFor('the expiry', async () => (await use(expired.key)) === 401, 10_000);
    for (const { id } of [revoked, expired]) {
      const { status, body } = await rotate(id);
      expect([status, body.code]).toEqual([409, 'API_KEY_ENDED']);
    }
  });

  it.each([-1, 1.5, MAX_GRACE_MS + 1, '1', null])('refuses graceMs %p', async (graceMs) => {
    const { id } = await create();
    const { status, body } = await rotate(id, { body: { graceMs } });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'graceMs']);
  });

  it('is not repeated by the same Idempotency-Key, and a replay shows no key', async () => {
    const { id } = await create();
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = [await rotate(id, { headers }), await rotate(id, { headers })];
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual({ ...first.body, key: null });
    expect(await use(first.body.key ?? '')).toBe(ACCEPTED);
  });

  it('many times at once leaves one present key and those in their grace time', async () => {
    const { id, key } = await create();
    const keys = await Promise.all(Array.from({ length: 4 }, () => rotated(id, MAX_GRACE_MS)));
    for (const one of [key, ...keys]) expect(await use(one)).toBe(ACCEPTED);
  });
});

describe('the places of an API key', () => {
  let key: string;
  let other: string;
  beforeAll(async () => {
    [{ key }, { key: other }] = [await create(), await create()];
  });
  const statusOf = async (query: string, headers: Record<string, string>, token = '') => {
    const path = `${workspace.issues}/external${query}`;
    return (await request(server.url, 'POST', path, { headers, body: {}, token })).status;
  };

  it('are the header, the query, or both with the same key', async () => {
    expect(await statusOf('', { 'x-api-key': key })).toBe(ACCEPTED);
    expect(await statusOf(`?api_key=${key}`, {})).toBe(ACCEPTED);
    expect(await statusOf(`?api_key=${key}`, { 'x-api-key': key })).toBe(ACCEPTED);
  });

  it('may not hold different keys, both valid or not', async () => {
    expect(await statusOf(`?api_key=${other}`, { 'x-api-key': key })).toBe(401);
    expect(await statusOf('?api_key=', { 'x-api-key': key })).toBe(401);
    expect(await statusOf(`?api_key=${key}`, { 'x-api-key': '' })).toBe(401);
  });

  it('go before a token: the key decides', async () => {
    expect(await statusOf('', { 'x-api-key': key }, owner.token)).toBe(ACCEPTED);
    expect(await statusOf('', { 'x-api-key': key }, 'a.bad.token')).toBe(ACCEPTED);
    expect(await statusOf('', { 'x-api-key': 'wsk_bad' }, owner.token)).toBe(401);
    const { key: foreign } = await create({ workspaceId: elsewhere });
    expect(await statusOf('', { 'x-api-key': foreign }, owner.token)).toBe(404);
    const { key: reader } = await create({ scopes: ['flows:read'] });
    expect(await statusOf('', { 'x-api-key': reader }, owner.token)).toBe(403);
  });
});
