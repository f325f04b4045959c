import { MEMBERS } from '../../../contract/access-rule.ts';
import { Archived } from '../../../contract/archived.ts';
import { action } from '../../../contract/contract.ts';
import { IdText } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { storeExample } from './examples.ts';
import { ConfigurationStore } from './resources.ts';
import { FOR_KEYS, inWorkspace, named, storeName } from './sources.ts';

const changesState = {
  audit: { resource: 'configuration-store' },
  path: { externalId: storeName },
  result: ConfigurationStore,
} as const;

/** The operations that archive a store and restore it. */
export const archiveActions = {
  archive: action({
    ...changesState,
    summary: 'Archive a configuration store',
    description: 'An archived store is read-only, is left out of the listing, and refuses runs.',
    route: 'PUT /configurations/:externalId/archive',
    tool: true,
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
    tool: { destructive: false },
    access: { who: 'member', roles: MEMBERS, in: inWorkspace, within: named },
    query: { workspaceId: IdText },
    etag: true,
    errors: [NotFound],
    example: { answer: storeExample },
  }),
  restoreExternal: action({
    ...changesState,
    summary: 'Restore an archived configuration store by API key',
    description: 'The workspace is that of the key. A store that is not archived is answered 404.',
    route: 'PUT /configurations/:externalId/restore/external',
    tool: { destructive: false },
    access: { who: 'key', scope: 'configurations:restore', in: { of: 'key' }, within: named },
    etag: FOR_KEYS,
    errors: [NotFound],
    example: { answer: storeExample },
  }),
};
