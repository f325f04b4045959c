import { Archived } from '../../../contract/archived.ts';
import { invalidField, Problem } from '../../../contract/problem.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import type { Actions, Params } from '../../contracts.ts';

type ForRun = Actions['configurations.forRun'];

/** A configuration store for the start of a run. */
export type ConfigurationForRun = NonNullable<ForRun['result']['store']>;

/** The pairs of credentials that a run keeps. */
export type FlowCredentialPair = ConfigurationForRun['pairs'][number];

export type FindConfiguration = (params: ForRun['params']) => Promise<ForRun['result']>;

/** Finds the store that a start names; null where it names none. An unknown store is a fault of the request. */
export async function findConfiguration(
  workspaceId: number,
  configuration: Params<'runs.start'>['configuration'],
  find: FindConfiguration,
): Promise<ConfigurationForRun | null> {
  if (configuration === undefined || configuration === null) return null;
  const { store } = await find({ workspaceId, configuration });
  if (store) return store;
  const message =
    'is neither the id nor the external id of a configuration store of this workspace';
  throw invalidField('configuration', 'unknown_configuration', message);
}

export function assertNotArchived(store: ConfigurationForRun | null): void {
  if (!store?.archived) return;
  throw new Problem(Archived, `The configuration store ${store.externalId} is archived.`);
}

/** Makes the copy of a store that a run keeps: later changes of the store do not change the run. */
export const keepConfiguration = ({
  id,
  externalId,
  updatedAt,
  properties,
  pairs,
}: ConfigurationForRun): NonNullable<RunDocument['configuration']> => ({
  id,
  externalId,
  updatedAt: new Date(updatedAt),
  properties: JSON.stringify(properties),
  pairs: JSON.stringify(pairs),
});
