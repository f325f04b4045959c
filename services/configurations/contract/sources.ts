import { z } from 'zod';

/** The workspace that a request names. */
export const inWorkspace = { parameter: 'workspaceId' } as const;

/** A store by its id. */
export const ofStore = {
  resource: 'configuration store',
  loader: 'configuration',
  parameter: 'storeId',
} as const;

/** A store in a path that names it by its external id, or by its decimal id. */
export const named = {
  resource: 'configuration store',
  loader: 'namedConfiguration',
  parameter: 'externalId',
  by: 'name',
} as const;
/** The same, for a change that reads the store itself, once for all changes that meet. */
export const head = { ...named, loader: 'configurationHead' } as const;
/** The same, where an archived store counts as missing. */
export const activeHead = { ...named, loader: 'activeConfigurationHead' } as const;

export const storeName = z.string().meta({
  description: 'The external id of a store, or its id in decimal digits',
  examples: ['shop-berlin'],
});

/** The reason why an operation for API keys has no ETag. */
export const FOR_KEYS = {
  none: 'an API key cannot read the store whose ETag it would name',
} as const;
