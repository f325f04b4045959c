import { ascendingBy, type PageOrder } from '../../contract/page-order.ts';
import { type Page, pageFrom } from '../../contract/pages.ts';
import { readRows } from '../../mixins/database/read-page.ts';
import { ConfigurationStoreModel } from '../../models/configuration-store.model.ts';
import type { Params } from '../contracts.ts';
import { configurations, type StoredConfiguration } from './configurations.store.ts';
import type { ConfigurationStore } from './contract/resources.ts';
import type { Directory } from './references/directory.ts';
import { credentialsIn, showConfigurationWith } from './show-configuration.ts';

/** The fewest bytes of JSON that a property or a pair takes, beside its text. */
const PROPERTY_BYTES = 28;
const PAIR_BYTES = 80;

/** The active stores of a workspace by id, or its archived ones. */
export async function listConfigurations(
  { workspaceId, archived, ...position }: Params<'configurations.list'>,
  directory: Pick<Directory, 'credentialsOf'>,
): Promise<Page<ConfigurationStore>> {
  const order: PageOrder<StoredConfiguration> = ascendingBy('_id');
  const found = await readRows(ConfigurationStoreModel, {
    filter: { workspaceId, status: archived ? 'ARCHIVED' : 'ACTIVE' },
    order,
    position,
    projection: configurations.projection,
    bytesOf,
  });
  const show = showConfigurationWith(await credentialsIn(found, directory));
  return pageFrom(found, position.limit, show, order.cursorOf);
}

const bytesOf = ({ properties, flowCredentialPairs }: StoredConfiguration): number =>
  flowCredentialPairs.length * PAIR_BYTES +
  properties.reduce(
    (bytes, { key, value }) => bytes + PROPERTY_BYTES + key.length + value.length,
    0,
  );
