import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { archived, noArchivedStore } from './configurations.problems.ts';
import { configurations, type StoredConfiguration } from './configurations.store.ts';
import type { ConfigurationStore } from './contract/resources.ts';
import type { Directory } from './references/directory.ts';
import { showConfiguration } from './show-configuration.ts';

/** Archives a store: it is read-only from then on, and refuses runs. */
export async function archiveConfiguration(
  store: StoredConfiguration,
  change: ChangeContext,
  directory: Directory,
): Promise<ConfigurationStore> {
  const show = (current: StoredConfiguration) => showConfiguration(current, directory);
  const decide = ({ status }: StoredConfiguration) => {
    if (status === 'ARCHIVED') throw archived();
    return { set: { status: 'ARCHIVED' as const } };
  };
  return show(await configurations.change(store, decide, change, show));
}

/** Makes an archived store active again. A store that is not archived counts as missing. */
export async function restoreConfiguration(
  store: StoredConfiguration,
  change: ChangeContext,
  directory: Directory,
): Promise<ConfigurationStore> {
  const show = (current: StoredConfiguration) => showConfiguration(current, directory);
  const decide = ({ status, externalId }: StoredConfiguration) => {
    if (status !== 'ARCHIVED') throw noArchivedStore(externalId);
    return { set: { status: 'ACTIVE' as const } };
  };
  decide(store); // the order of checks puts a store that is not archived (404) before `If-Match` (412)
  return show(await configurations.change(store, decide, change, show));
}
