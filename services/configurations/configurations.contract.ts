import { z } from 'zod';
import { MEMBERS, WORKERS } from '../../contract/access-rule.ts';
import { Archived } from '../../contract/archived.ts';
import { action, defineContract } from '../../contract/contract.ts';
import { Id, IdText, listQuery, Name, pageOf } from '../../contract/fields.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { NotFound } from '../../contract/problem.ts';
import { ExternalIdTaken } from './configurations.problems.ts';
import {
  NewPairs,
  NewProperties,
  newPair,
  newProperty,
  PairsToWrite,
  PropertiesToWrite,
} from './contract/bodies.ts';
import {
  newStoreExample,
  pairExample,
  propertyExample,
  storeExample,
} from './contract/examples.ts';
import { internalActions } from './contract/internal.ts';
import { ConfigurationStore, ExternalId, FlowCredentialPair } from './contract/resources.ts';

const inWorkspace = { parameter: 'workspaceId' };
const ofStore = {
  resource: 'configuration store',
  loader: 'configuration',
  parameter: 'storeId',
} as const;

/** A store in a path that names it by its external id, or by its decimal id. */
const named = {
  resource: 'configuration store',
  loader: 'namedConfiguration',
  parameter: 'externalId',
  by: 'name',
} as const;
/** The same, for a change that reads the store itself, once for all changes that meet. */
const head = { ...named, loader: 'configurationHead' } as const;
/** The same, where an archived store counts as missing. */
const activeHead = { ...named, loader: 'activeConfigurationHead' } as const;
const storeName = z
  .string()
  .meta({ description: 'The external id of a store, or its id in decimal digits' });

const changesState = {
  audit: { resource: 'configuration-store' },
  path: { externalId: storeName },
  result: ConfigurationStore,
} as const;
const FOR_KEYS = { none: 'an API key cannot read the store whose ETag it would name' } as const;

/** JSON values of a body: those of all properties and pairs of a store. */
const BODY_VALUES = 20_000;
/** Bytes of a body that repeats a whole store as GET shows it: 200 KiB, and up to 700 KiB of names of credentials. */
const WRITE_BACK_LIMIT = 1024 * 1024;

export const configurationsContract = defineContract(
  'configurations',
  'Configuration stores: properties, and the credentials of flows',
  {
    create: action({
      summary: 'Create a configuration store',
      description: 'Without `externalId` the store gets a UUID.',
      route: 'POST /configurations',
      audit: { resource: 'configuration-store' },
      uncontended: true,
      idempotency: { sequence: 'configuration_stores' },
      access: { who: 'member', roles: MEMBERS, in: inWorkspace },
      body: {
        workspaceId: Id,
        name: Name,
        externalId: ExternalId.optional(),
        flowCredentialPairs: NewPairs.optional(),
        properties: NewProperties.optional(),
      },
      bodyValues: BODY_VALUES,
      result: ConfigurationStore,
      status: 201,
      errors: [NotFound, ExternalIdTaken],
      example: { body: newStoreExample, answer: storeExample },
    }),
    list: action({
      summary: 'The configuration stores of a workspace',
      route: 'GET /configurations/workspace/:workspaceId',
      access: { who: 'member', roles: WORKERS, in: inWorkspace },
      path: { workspaceId: IdText },
      query: {
        ...listQuery,
        archived: z
          .stringbool({
            truthy: ['true'],
            falsy: ['false'],
            case: 'sensitive',
            error: 'must be true or false',
          })
          .default(false)
          .meta({
            description: 'Whether the archived stores are listed in place of the active ones',
            override: { type: 'boolean' },
          }),
      },
      result: pageOf(ConfigurationStore),
      format: 'page',
      errors: [NotFound],
      idempotent: true,
      example: { answer: [storeExample] },
    }),
    get: action({
      summary: 'One configuration store',
      route: 'GET /configurations/:storeId',
      etag: true,
      access: { who: 'member', roles: WORKERS, in: ofStore },
      path: { storeId: IdText },
      result: ConfigurationStore,
      errors: [NotFound],
      idempotent: true,
      example: { answer: storeExample },
    }),
    update: action({
      summary: 'Change a configuration store',
      description:
        'What is given is replaced, and the rest stays. A pair keeps its id by its flow, a property by its key. What GET answered can be sent back: a shown credential then counts by its id, and the body may have 1 MiB, because answers show the names of credentials. `externalId` stays as it was created.',
      route: 'PUT /configurations',
      audit: { resource: 'configuration-store' },
      etag: true,
      access: { who: 'member', roles: MEMBERS, in: { ...ofStore, parameter: 'id' } },
      body: {
        id: Id,
        workspaceId: Id.optional(),
        externalId: ExternalId.optional(),
        name: Name.optional(),
        flowCredentialPairs: PairsToWrite.optional(),
        properties: PropertiesToWrite.optional(),
      },
      readOnly: ['status', 'createdAt', 'updatedAt'],
      bodyLimit: WRITE_BACK_LIMIT,
      bodyValues: BODY_VALUES,
      result: ConfigurationStore,
      errors: [NotFound, Archived],
      example: {
        body: { id: storeExample.id, properties: newStoreExample.properties },
        answer: storeExample,
      },
    }),
    archive: action({
      ...changesState,
      summary: 'Archive a configuration store',
      description: 'An archived store is read-only, is left out of the listing, and refuses runs.',
      route: 'PUT /configurations/:externalId/archive',
      access: { who: 'member', roles: MEMBERS, in: inWorkspace, within: named },
      query: { workspaceId: IdText },
      etag: true,
      errors: [NotFound, Archived],
      example: { answer: { ...storeExample, status: 'ARCHIVED' } },
    }),
    restore: action({
      ...changesState,
      summary: 'Restore an archived configuration store',
      description: 'A store that is not archived is answered 404.',
      route: 'PUT /configurations/:externalId/restore',
      access: { who: 'member', roles: MEMBERS, in: inWorkspace, within: named },
      query: { workspaceId: IdText },
      etag: true,
      errors: [NotFound],
      example: { answer: storeExample },
    }),
    restoreExternal: action({
      ...changesState,
      summary: 'Restore an archived configuration store by API key',
      description:
        'The workspace is that of the key. A store that is not archived is answered 404.',
      route: 'PUT /configurations/:externalId/restore/external',
      access: { who: 'key', scope: 'configurations:restore', in: { of: 'key' }, within: named },
      etag: FOR_KEYS,
      errors: [NotFound],
      example: { answer: storeExample },
    }),
    getProperties: action({
      summary: 'The properties of a configuration store by key',
      route: 'GET /configurations/:externalId/properties',
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
    getFlowCredentials: action({
      summary: 'The flow credential pairs of a configuration store by flow id',
      route: 'GET /configurations/:storeId/flow-credentials',
      etag: true,
      access: { who: 'member', roles: WORKERS, in: ofStore },
      path: { storeId: IdText },
      result: z.record(z.string(), FlowCredentialPair),
      errors: [NotFound],
      idempotent: true,
      example: { answer: { [pairExample.flowId]: pairExample } },
    }),
    setFlowCredentials: action({
      summary: 'Give a flow its credentials',
      description: 'The pair of a flow that has one is replaced, and keeps its id.',
      route: 'POST /configurations/:storeId/flow-credentials',
      audit: { resource: 'configuration-store' },
      access: { who: 'member', roles: MEMBERS, in: ofStore },
      path: { storeId: IdText },
      body: newPair,
      result: ConfigurationStore,
      errors: [NotFound, Archived],
      example: { body: newStoreExample.flowCredentialPairs[0], answer: storeExample },
    }),
    removeFlowCredentials: action({
      summary: 'Take the credentials of a flow away',
      description: '`If-Match` is compared with the ETag of the pairs.',
      route: 'DELETE /configurations/:storeId/flow-credentials/:flowId',
      audit: { resource: 'configuration-store' },
      etag: true,
      access: { who: 'member', roles: MEMBERS, in: ofStore },
      path: { storeId: IdText, flowId: IdText },
      result: z.strictObject({}),
      errors: [NotFound, Archived],
      example: { answer: {} },
    }),
    ...internalActions,
    ...lifecycleActions,
  },
);
