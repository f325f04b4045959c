import { databaseCommand } from '../../../mixins/database/commands.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { ApiKeyModel } from '../../../models/api-key.model.ts';
import { apiKeys } from '../../../services/identity/api-keys/api-keys.store.ts';
import { revokeApiKey } from '../../../services/identity/api-keys/api-keys.ts';
import { authenticateKey } from '../../../services/identity/api-keys/authenticate-key.ts';
import { createApiKey } from '../../../services/identity/api-keys/create-key.ts';
import { rotateApiKey } from '../../../services/identity/api-keys/rotate-key.ts';
import { testCall } from '../../helpers/call-context.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';

let commands = 0;
databaseCommand.subscribe(() => commands++);
useDatabase([ApiKeyModel]);

it('is created within its quota by two commands and revoked by one, with an audit entry and without its secret', async () => {
  const change = changeContext({ audit: { resource: 'api-key' } });
  const wanted = { workspaceId: 7, name: 'Form', scopes: ['issues:create' as const] };
  await nextId('api_keys'); // so that ids are there
  commands = 0;
  const { id, key } = await createApiKey(wanted, change, testCall());
  expect(commands).toBe(2);
  const found = await apiKeys.find(id);
  if (!found) throw new Error('the key is there');
  expect(found).not.toHaveProperty('hash');
  commands = 0;
  await revokeApiKey(found, change, testCall());
  expect(commands).toBe(1);

  const stored = await ApiKeyModel.findById(id).lean();
  const entry = (changed: string[]) =>
    expect.objectContaining({
      call: 'workspaces.recordAudit',
      params: expect.objectContaining({
        workspaceId: 7,
        resource: { type: 'api-key', id },
        changed,
      }),
    });
  expect(stored).toMatchObject({ revision: 2, outbox: [entry([]), entry(['revokedAt'])] });
  expect(JSON.stringify(stored)).not.toContain(key);
  expect(JSON.stringify(stored?.outbox)).not.toContain(stored?.hash);

  await revokeApiKey(found, change, testCall());
  expect(await ApiKeyModel.findById(id).lean()).toEqual(stored);
});

const change = changeContext({ audit: { resource: 'api-key' } });
async function newKey(expiresAt?: string) {
  const wanted = { workspaceId: 7, name: 'Form', scopes: ['issues:create' as const], expiresAt };
  const { id, key } = await createApiKey(wanted, change, testCall());
  if (key === null) throw new Error('the key is new');
  return { id, key };
}
async function rotate(id: number, graceMs: number): Promise<string> {
  const found = await apiKeys.find(id);
  if (!found) throw new Error('the key is there');
  return (await rotateApiKey(found, graceMs, change, testCall())).key;
}
const DAY_MS = 24 * 3600 * 1000;
const storedKey = (id: number) => ApiKeyModel.findById(id).lean();

it('is rotated by two commands, with an audit entry and without its secrets', async () => {
  const { id, key } = await newKey();
  const found = await apiKeys.find(id);
  commands = 0;
  const { key: next } = await rotateApiKey(found as never, DAY_MS, change, testCall());
  expect(commands).toBe(2);
  const stored = await storedKey(id);
  expect(stored?.outbox?.at(-1)).toMatchObject({ params: { changed: ['key'] } });
  for (const secret of [key, next]) expect(JSON.stringify(stored)).not.toContain(secret);
  for (const { hash } of stored?.replaced ?? []) {
    expect(JSON.stringify(stored?.outbox)).not.toContain(hash);
  }
  expect(await apiKeys.find(id)).not.toHaveProperty('replaced');
});

it('keeps the newest five keys that rotations have replaced', async () => {
  const { id, key } = await newKey();
  const keys = [key];
  for (let n = 0; n < 7; n++) keys.push(await rotate(id, DAY_MS));
  const accepted = await Promise.all(keys.map(authenticateKey));
  expect(accepted.map((caller) => caller !== null)).toEqual(keys.map((_, n) => n >= 2));
});

it('leaves a replaced key its end at a later rotation, unless that ends earlier', async () => {
  const { id, key } = await newKey();
  const second = await rotate(id, 1_000);
  const end = (await storedKey(id))?.replaced?.[0]?.until;
  const third = await rotate(id, DAY_MS);
  expect((await storedKey(id))?.replaced?.[1]?.until).toEqual(end);
  await waitFor('the end', async () => (await authenticateKey(key)) === null, 5_000);
  expect(await authenticateKey(second)).not.toBeNull();
  const last = await rotate(id, 0);
  expect((await storedKey(id))?.replaced).toEqual([]);
  expect(await Promise.all([key, second, third].map(authenticateKey))).toEqual([null, null, null]);
  expect(await authenticateKey(last)).toMatchObject({ keyId: id });
});

it('costs a request one round trip, with a replaced key as well', async () => {
  const { id, key } = await newKey();
  const next = await rotate(id, DAY_MS);
  await ApiKeyModel.updateOne({ _id: id }, { lastUsedAt: new Date() });
  for (const one of [key, next]) {
    commands = 0;
    expect(await authenticateKey(one)).toMatchObject({ keyId: id });
    expect(commands).toBe(2); // sent together
  }
});

it('is refused without a query where its checksum does not fit', async () => {
  const { key } = await newKey();
  commands = 0;
  const other = key.at(-1) === '0' ? '1' : '0';
  for (const bad of [key.slice(0, -1) + other, `wsk_${'0'.repeat(38)}`, `${key}0`, '']) {
    expect(await authenticateKey(bad)).toBeNull();
  }
  expect(commands).toBe(0);
});

it('stores its use once a minute, however many use it at once', async () => {
  const { id, key } = await newKey();
  const useAtOnce = () => Promise.all(Array.from({ length: 8 }, () => authenticateKey(key)));
  await useAtOnce();
  const first = await waitFor('the use', async () => (await storedKey(id))?.lastUsedAt);
  await useAtOnce();
  expect((await storedKey(id))?.lastUsedAt).toEqual(first);
  await ApiKeyModel.updateOne({ _id: id }, { lastUsedAt: new Date(Date.now() - 61_000) });
  await authenticateKey(key);
  await waitFor('the next use', async () => {
    const at = (await storedKey(id))?.lastUsedAt;
    return at && Date.now() - at.getTime() < 30_000;
  });
});
