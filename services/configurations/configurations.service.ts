import type { ServiceSchema } from 'moleculer';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { ConfigurationStoreModel } from '../../models/configuration-store.model.ts';
import { implement } from '../contracts.ts';
import { archiveConfiguration, restoreConfiguration } from './archive.ts';
import { configurationsContract } from './configurations.contract.ts';
import { configurations } from './configurations.store.ts';
import { createConfiguration } from './create-configuration.ts';
import { findActiveHeadByName, findByName, findHeadByName } from './find-configuration.ts';
import {
  removeFlowCredentials,
  setFlowCredentials,
  showFlowCredentials,
} from './flow-credentials/flow-credentials.ts';
import { findForRun } from './for-run.ts';
import { listConfigurations } from './list-configurations.ts';
import { setPropertiesExternal, setProperty, showProperties } from './properties/set-properties.ts';
import { PropertyWriter } from './properties/write-properties.ts';
import { directoryOf } from './references/directory.ts';
import { showConfiguration } from './show-configuration.ts';
import { findStoresUsing } from './stores-using.ts';
import { updateConfiguration } from './update-configuration.ts';

/** Configuration stores: properties, and the credentials of flows. */
export function configurationsService(): ServiceSchema {
  const writer = new PropertyWriter();
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
        update: (ctx) =>
          updateConfiguration(ctx.locals.resource, ctx.params, changeOf(ctx), directoryOf(ctx)),
        archive: (ctx) =>
          archiveConfiguration(ctx.locals.resource, changeOf(ctx), directoryOf(ctx)),
        restore: (ctx) =>
          restoreConfiguration(ctx.locals.resource, changeOf(ctx), directoryOf(ctx)),
        restoreExternal: (ctx) =>
          restoreConfiguration(ctx.locals.resource, changeOf(ctx), directoryOf(ctx)),
        getProperties: (ctx) => showProperties(ctx.locals.resource),
        setProperty: (ctx) => setProperty(ctx.locals.resource, ctx.params, changeOf(ctx), writer),
        setPropertiesExternal: (ctx) => {
          const { resource } = ctx.locals;
          const { properties } = ctx.params;
          return setPropertiesExternal(
            resource,
            properties,
            changeOf(ctx),
            writer,
            directoryOf(ctx),
          );
        },
        getFlowCredentials: (ctx) => showFlowCredentials(ctx.locals.resource, directoryOf(ctx)),
        setFlowCredentials: (ctx) =>
          setFlowCredentials(ctx.locals.resource, ctx.params, changeOf(ctx), directoryOf(ctx)),
        removeFlowCredentials: (ctx) =>
          removeFlowCredentials(
            ctx.locals.resource,
            ctx.params.flowId,
            changeOf(ctx),
            directoryOf(ctx),
          ),
        forRun: (ctx) => findForRun(ctx.params),
        storesUsing: (ctx) => findStoresUsing(ctx.params),
        ...erasures.handlers,
      },
      {
        configuration: configurations.find,
        namedConfiguration: { byName: findByName },
        configurationHead: { byName: findHeadByName },
        activeConfigurationHead: { byName: findActiveHeadByName },
      },
    ),
  };
}
