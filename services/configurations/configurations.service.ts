import type { ServiceSchema } from 'moleculer';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { ConfigurationStoreModel } from '../../models/configuration-store.model.ts';
import { implement } from '../contracts.ts';
import { configurationsContract } from './configurations.contract.ts';
import { configurations } from './configurations.store.ts';
import { createConfiguration } from './create-configuration.ts';
import { findForRun } from './for-run.ts';
import { listConfigurations } from './list-configurations.ts';
import { directoryOf } from './references/directory.ts';
import { showConfiguration } from './show-configuration.ts';
import { findStoresUsing } from './stores-using.ts';

/** Configuration stores: properties, and the credentials of flows. */
export function configurationsService(): ServiceSchema {
  const erasures = erasuresOf('configurations', [ConfigurationStoreModel]);
  return {
    name: 'configurations',
    mixins: [erasures.mixin, Changes(configurations)],
    actions: implement(
      configurationsContract,
      {
        create: (ctx) => createConfiguration(ctx.params, changeOf(ctx), directoryOf(ctx)),
        list: (ctx) => listConfigurations(ctx.params, directoryOf(ctx)),
        get: (ctx) => showConfiguration(ctx.locals.resource, directoryOf(ctx)),
        forRun: (ctx) => findForRun(ctx.params),
        storesUsing: (ctx) => findStoresUsing(ctx.params),
        ...erasures.handlers,
      },
      { configuration: configurations.find },
    ),
  };
}
