import { MEMBERS, WORKERS } from '../../../contract/access-rule.ts';
import { Archived } from '../../../contract/archived.ts';
import { action } from '../../../contract/contract.ts';
import { BooleanText, Id, IdText, listQuery, Name, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { ExternalIdTaken } from '../configurations.problems.ts';
import { NewPairs, NewProperties, PairsToWrite, PropertiesToWrite } from './bodies.ts';
import { newStoreExample, storeExample } from './examples.ts';
import { ConfigurationStore, ExternalId } from './resources.ts';
import { inWorkspace, ofStore } from './sources.ts';

/** JSON values of a body: those of all properties and pairs of a store. */
const BODY_VALUES = 20_000;
/** Bytes of a body that repeats a whole store as GET shows it: 200 KiB, and up to 700 KiB of names of credentials. */
const WRITE_BACK_LIMIT = 1024 * 1024;

/** The operations on whole stores. */
export const storeActions = {
  create: action({
    summary: 'Create a configuration store',
    description: 'Without `externalId` the store gets a UUID.',
    route: 'POST /configurations',
    tool: true,
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
    tool: true,
    access: { who: 'member', roles: WORKERS, in: inWorkspace },
    path: { workspaceId: IdText },
    query: {
      ...listQuery,
      archived: BooleanText.default(false).meta({
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
    tool: true,
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
    tool: true,
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
};
