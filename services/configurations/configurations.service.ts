import type { ServiceSchema } from 'moleculer';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { ConfigurationStoreModel } from '../../models/configuration-store.model.ts';
import { implement } from '../contracts.ts';
import { configurationsContract } from './configurations.contract.ts';
import { configurations } from './configurations.store.ts';
import { unbuilt } from './unbuilt.ts';

/** Configuration stores: properties, and the credentials of flows. */
export function configurationsService(): ServiceSchema {
  const erasures = erasuresOf('configurations', [ConfigurationStoreModel]);
  return {
    name: 'configurations',
    mixins: [erasures.mixin, Changes(configurations)],
    actions: implement(configurationsContract, {
      ...erasures.handlers,
      forRun: unbuilt,
      storesUsing: unbuilt,
    }),
  };
}
