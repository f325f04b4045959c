import { NotFound, Problem } from '../../contract/problem.ts';
import { changesOf, type Shown } from '../../mixins/changes/change-store.ts';
import {
  type ConfigurationStoreDocument,
  ConfigurationStoreModel,
} from '../../models/configuration-store.model.ts';

export type StoredConfiguration = Shown<ConfigurationStoreDocument>;

/** The one way to write configuration stores. */
export const configurations = changesOf(ConfigurationStoreModel, {
  missing: (id: number) => new Problem(NotFound, `There is no configuration store ${id}.`),
});
