import { z } from 'zod';
import { WORKERS } from '../../../contract/access-rule.ts';
import { Archived } from '../../../contract/archived.ts';
import { action } from '../../../contract/contract.ts';
import { IdText } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { NewProperties, newProperty } from './bodies.ts';
import { newStoreExample, propertyExample, storeExample } from './examples.ts';
import { ConfigurationStore } from './resources.ts';
import { activeHead, FOR_KEYS, head, inWorkspace, named, storeName } from './sources.ts';

/** The operations on the properties of a store. */
export const propertyActions = {
  getProperties: action({
    summary: 'The properties of a configuration store by key',
    route: 'GET /configurations/:externalId/properties',
    tool: true,
    etag: true,
    access: { who: 'member', roles: WORKERS, in: inWorkspace, within: named },
    path: { externalId: storeName },
    query: { workspaceId: IdText },
    result: z.record(z.string(), z.string()),
    errors: [NotFound],
    idempotent: true,
    example: { answer: { [propertyExample.key]: propertyExample.value } },
  }),
  setProperty: action({
    summary: 'Create or update one property',
    description:
      'Updates of different properties that meet are all kept. `If-Match` is compared with the ETag of the properties.',
    route: 'PUT /configurations/:externalId/properties',
    tool: true,
    audit: { resource: 'configuration-store' },
    etag: true,
    access: { who: 'member', roles: WORKERS, in: inWorkspace, within: head },
    path: { externalId: storeName },
    query: { workspaceId: IdText },
    body: newProperty,
    result: null,
    errors: [NotFound, Archived],
    example: { body: newStoreExample.properties[0] },
  }),
  setPropertiesExternal: action({
    summary: 'Create or update several properties by API key',
    description:
      'All of them or none. Properties that are not named stay. An archived store is answered 404.',
    route: 'PUT /configurations/:externalId/properties/external',
    tool: true,
    audit: { resource: 'configuration-store' },
    etag: FOR_KEYS,
    access: {
      who: 'key',
      scope: 'configurations:properties',
      in: inWorkspace,
      within: activeHead,
    },
    path: { externalId: storeName },
    query: { workspaceId: IdText },
    body: { properties: NewProperties },
    result: ConfigurationStore,
    errors: [NotFound],
    example: { body: { properties: newStoreExample.properties }, answer: storeExample },
  }),
};
