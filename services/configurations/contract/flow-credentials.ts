import { z } from 'zod';
import { MEMBERS, WORKERS } from '../../../contract/access-rule.ts';
import { Archived } from '../../../contract/archived.ts';
import { action } from '../../../contract/contract.ts';
import { IdText } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { newPair } from './bodies.ts';
import { newStoreExample, pairExample, storeExample } from './examples.ts';
import { ConfigurationStore, FlowCredentialPair } from './resources.ts';
import { ofStore } from './sources.ts';

/** The operations on the credentials that a store has for flows. */
export const flowCredentialActions = {
  getFlowCredentials: action({
    summary: 'The flow credential pairs of a configuration store by flow id',
    route: 'GET /configurations/:storeId/flow-credentials',
    tool: true,
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
    tool: { destructive: true },
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
    tool: true,
    audit: { resource: 'configuration-store' },
    etag: true,
    access: { who: 'member', roles: MEMBERS, in: ofStore },
    path: { storeId: IdText, flowId: IdText },
    result: z.strictObject({}),
    errors: [NotFound, Archived],
    example: { answer: {} },
  }),
};
