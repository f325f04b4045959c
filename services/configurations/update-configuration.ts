import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import { archived, contradiction } from './configurations.problems.ts';
import { configurations, type StoredConfiguration } from './configurations.store.ts';
import type { ConfigurationStore } from './contract/resources.ts';
import * as pairs from './flow-credentials/pairs.ts';
import { assertWithinLimits, blamedOf } from './limits.ts';
import { pairIds, propertyIds } from './memoized-ids.ts';
import * as properties from './properties/merge.ts';
import type { Directory } from './references/directory.ts';
import { ReferenceCheck } from './references/reference-check.ts';
import { showConfiguration } from './show-configuration.ts';

type StoreUpdate = Params<'configurations.update'>;
type Content = Pick<StoredConfiguration, 'name' | 'properties' | 'flowCredentialPairs'>;

/** Replaces name, pairs and properties, those of them that are given. What stays the same is not written. */
export async function updateConfiguration(
  store: StoredConfiguration,
  update: StoreUpdate,
  change: ChangeContext,
  directory: Directory,
): Promise<ConfigurationStore> {
  assertSame(store, update);
  const given = update.flowCredentialPairs ?? [];
  const check = new ReferenceCheck(directory, store.workspaceId, pairs.fieldOfPair(given));
  const wanted = { ...update, pairs: update.flowCredentialPairs && pairs.contentOf(given) };
  const { name = '', properties: newProperties = [] } = update;
  // A body that no store has room for is a fault of the body; the size with what is stored is checked after `If-Match`.
  const alone = { name, properties: newProperties, flowCredentialPairs: wanted.pairs ?? [] };
  assertWithinLimits(alone, blamedOf(update));
  const ids = { pair: pairIds(), property: propertyIds() };

  const changed = async (current: StoredConfiguration): Promise<Partial<Content>> => {
    const set: Partial<Content> = {};
    if (wanted.name !== undefined && wanted.name !== current.name) set.name = wanted.name;
    if (wanted.pairs && !pairs.isSameList(wanted.pairs, current.flowCredentialPairs)) {
      await check.assertReferences(wanted.pairs, current.flowCredentialPairs);
      const { flowCredentialPairs: before } = current;
      set.flowCredentialPairs = await pairs.pairsWithIds(wanted.pairs, before, ids.pair);
    }
    if (wanted.properties && !properties.isSameList(wanted.properties, current.properties)) {
      const { properties: before } = current;
      set.properties = await properties.propertiesWithIds(wanted.properties, before, ids.property);
    }
    return set;
  };
  const decide = async (current: StoredConfiguration) => {
    const set = await changed(current);
    if (current.status === 'ARCHIVED') throw archived();
    if (!Object.keys(set).length) return null;
    assertWithinLimits({ ...current, ...set }, blamedOf(set));
    return { set };
  };
  const show = (current: StoredConfiguration) => showConfiguration(current, directory);
  try {
    await changed(store); // the order of checks puts a fault of the body (400) before `If-Match` (412)
    return await show(await configurations.change(store, decide, change, show));
  } finally {
    await check.release();
  }
}

/** Throws 400 for a field that names another store, or that cannot be changed. */
function assertSame(
  { workspaceId, externalId }: StoredConfiguration,
  update: Pick<StoreUpdate, 'workspaceId' | 'externalId'>,
): void {
  if (update.workspaceId !== undefined && update.workspaceId !== workspaceId) {
    throw contradiction('workspaceId', 'is not that of this store');
  }
  if (update.externalId !== undefined && update.externalId !== externalId) {
    throw contradiction('externalId', 'is not that of this store, and stays as it was created');
  }
}
