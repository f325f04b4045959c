import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { archived, noActiveStore } from '../configurations.problems.ts';
import type { StoredConfiguration } from '../configurations.store.ts';
import type { ConfigurationStore } from '../contract/resources.ts';
import type { StoreHead } from '../find-configuration.ts';
import type { Directory } from '../references/directory.ts';
import { showConfiguration } from '../show-configuration.ts';
import { mapOf, type NewProperty } from './merge.ts';
import type { PropertyWriter } from './write-properties.ts';

/** The values of a store by key. */
export const showProperties = ({ properties }: StoredConfiguration): Record<string, string> =>
  mapOf(properties);

/** Creates or updates one property. */
export async function setProperty(
  store: StoreHead,
  { key, value }: NewProperty,
  change: ChangeContext,
  writer: PropertyWriter,
): Promise<null> {
  await writer.write({
    store,
    wanted: [{ key, value }],
    change,
    show: showProperties,
    blamed: { count: 'key', bytes: 'value' },
    refusal: archived,
  });
  return null;
}

/** Creates or updates several properties, all or none of them. An archived store counts as missing. */
export async function setPropertiesExternal(
  store: StoreHead,
  wanted: readonly NewProperty[],
  change: ChangeContext,
  writer: PropertyWriter,
  directory: Directory,
): Promise<ConfigurationStore> {
  const refusal = () => noActiveStore(store.externalId);
  const blamed = { count: 'properties', bytes: 'properties' };
  const update = { store, wanted, change, blamed, refusal };
  return showConfiguration(await writer.write(update), directory);
}
