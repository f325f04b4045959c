import { databaseCommand } from '../../../mixins/database/commands.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { ApiKeyModel } from '../../../models/api-key.model.ts';
import { apiKeys } from '../../../services/identity/api-keys/api-keys.store.ts';
import { createApiKey, revokeApiKey } from '../../../services/identity/api-keys/api-keys.ts';
import { testCall } from '../../helpers/call-context.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

let commands = 0;
databaseCommand.subscribe(() => commands++);
useDatabase([ApiKeyModel]);

it('is created and revoked by one command each, with an audit entry and without its secret', async () => {
  const change = changeContext({ audit: { resource: 'api-key' } });
  const wanted = { workspaceId: 7, name: 'Form', scopes: ['issues:create' as const] };
  await nextId('api_keys'); // so that ids are there
  commands = 0;
  const { id, key } = await createApiKey(wanted, change, testCall());
  expect(commands).toBe(1);
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
