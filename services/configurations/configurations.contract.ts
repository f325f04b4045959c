import { z } from 'zod';
import { MEMBERS, WORKERS } from '../../contract/access-rule.ts';
import { action, defineContract } from '../../contract/contract.ts';
import { Id, IdText, listQuery, Name, pageOf } from '../../contract/fields.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { NotFound } from '../../contract/problem.ts';
import { ExternalIdTaken } from './configurations.problems.ts';
import { NewPairs, NewProperties } from './contract/bodies.ts';
import { newStoreExample, storeExample } from './contract/examples.ts';
import { internalActions } from './contract/internal.ts';
import { ConfigurationStore, ExternalId } from './contract/resources.ts';

const inWorkspace = { parameter: 'workspaceId' };
const ofStore = {
  resource: 'configuration store',
  loader: 'configuration',
  parameter: 'storeId',
} as const;

/** JSON values of a body: those of all properties and pairs of a store. */
const BODY_VALUES = 20_000;

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
    ...internalActions,
    ...lifecycleActions,
  },
);
