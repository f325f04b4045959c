import { configurations } from '../../../services/configurations/configurations.store.ts';
import { findForRun } from '../../../services/configurations/for-run.ts';
import { findStoresUsing } from '../../../services/configurations/stores-using.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase();

const at = new Date('2026-01-31T09:30:00.000Z');
const pairOf = (id: number, source: number | null, destination: number | null = null) => ({
  id,
  flowId: id,
  sourceAuthCredentialId: source,
  destinationAuthCredentialId: destination,
});
const plain = {
  workspaceId: 1,
  name: 'A store',
  externalId: 'first',
  flowCredentialPairs: [pairOf(1, 11, 12)],
  properties: [
    { id: 1, key: '__proto__', value: 'a' },
    { id: 2, key: 'region', value: 'eu' },
  ],
  createdAt: at,
  updatedAt: at,
};
let made = 0;
const create = (more: Partial<typeof plain> & { status?: 'ARCHIVED' } = {}) =>
  configurations.create(
    { ...plain, status: 'ACTIVE', externalId: `store-${made++}`, ...more },
    changeContext(),
  );

describe('the store of a run', () => {
  it('is found by id, by its id as text and by its external id', async () => {
    const { _id: id } = await create({ externalId: 'by-name' });
    const shown = {
      id,
      externalId: 'by-name',
      updatedAt: at.toISOString(),
      archived: false,
      properties: JSON.parse('{"__proto__":"a","region":"eu"}'),
      pairs: [{ flowId: 1, sourceAuthCredentialId: 11, destinationAuthCredentialId: 12 }],
    };
    for (const configuration of [id, String(id), 'by-name']) {
      const { store } = await findForRun({ workspaceId: 1, configuration });
      expect(store).toEqual(shown);
      expect(Object.keys(store?.properties ?? {})).toEqual(['__proto__', 'region']);
    }
  });

  it('is none of another workspace, and none for a text that no store can have', async () => {
    const { _id: id } = await create({ externalId: 'elsewhere' });
    for (const configuration of [id, String(id), 'elsewhere']) {
      expect(await findForRun({ workspaceId: 2, configuration })).toEqual({ store: null });
    }
    for (const configuration of ['', 'workspace', '$ne', 'a b', '0', '-1', 'x'.repeat(200)]) {
      expect(await findForRun({ workspaceId: 1, configuration })).toEqual({ store: null });
    }
  });

  it('is shown as archived', async () => {
    const { _id: configuration } = await create({ status: 'ARCHIVED' });
    const { store } = await findForRun({ workspaceId: 1, configuration });
    expect(store).toMatchObject({ id: configuration, archived: true });
  });
});

describe('the stores that use a credential', () => {
  it('are those of the workspace with the credential in any place, archived ones as well', async () => {
    const source = await create({ flowCredentialPairs: [pairOf(1, 3), pairOf(2, 21)] });
    const archived = await create({
      status: 'ARCHIVED',
      flowCredentialPairs: [pairOf(1, null, 21)],
    });
    await create({ flowCredentialPairs: [pairOf(21, 22)] });
    await create({ workspaceId: 2, flowCredentialPairs: [pairOf(1, 21)] });
    const ids = [source._id, archived._id].sort((a, b) => a - b);
    expect(await findStoresUsing({ workspaceId: 1, credentialId: 21 })).toEqual({
      stores: ids.map((id) => ({ id, name: 'A store' })),
      more: 0,
    });
  });

  it('are five with their names, and the number of the others', async () => {
    for (let i = 0; i < 7; i++) await create({ flowCredentialPairs: [pairOf(1, 31, 31)] });
    const { stores, more } = await findStoresUsing({ workspaceId: 1, credentialId: 31 });
    expect([stores.length, more]).toEqual([5, 2]);
    expect(await findStoresUsing({ workspaceId: 1, credentialId: 32 })).toEqual({
      stores: [],
      more: 0,
    });
  });
});
