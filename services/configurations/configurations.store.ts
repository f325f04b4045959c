import { changesOf, type Shown } from '../../mixins/changes/change-store.ts';
import {
  type ConfigurationStoreDocument,
  ConfigurationStoreModel,
} from '../../models/configuration-store.model.ts';
import { noStore } from './configurations.problems.ts';

export type StoredConfiguration = Shown<ConfigurationStoreDocument>;

/** Properties and pairs beyond which a store is inserted alone. */
const LARGE_STORE = 50;

/** The one way to write configuration stores. */
export const configurations = changesOf(ConfigurationStoreModel, {
  missing: noStore,
  isLarge: ({ properties, flowCredentialPairs }) =>
    properties.length + flowCredentialPairs.length > LARGE_STORE,
});
