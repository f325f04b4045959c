import type { ServiceName } from '../environment/process.ts';

/** Where every service that makes resources takes their ids from (`mixins/database/ids.ts`). */
const IDS = 'sequences';

/**
 * The collections that a service reads and writes, all of them its own but the one of ids. A test compares
 * the list with the models that the service's code imports.
 */
export const COLLECTIONS: Record<ServiceName, readonly string[]> = {
  api: [IDS, 'idempotency_records'],
  identity: [
    IDS,
    'api_keys',
    'email_tokens',
    'key_notices',
    'mail_slots',
    'outbox_mails',
    'refresh_tokens',
    'reset_tokens',
    'sessions',
    'users',
  ],
  workspaces: [IDS, 'audit_entries', 'members', 'workspaces'],
  issues: [IDS, 'issues'],
  flows: [IDS, 'flow_versions', 'flows'],
  runs: [IDS, 'run_steps', 'run_tallies', 'run_workers', 'runs'],
};

/** What the services do with a collection: they make it and its indexes, too. */
const ACTIONS = ['find', 'insert', 'update', 'remove', 'createCollection', 'createIndex'] as const;

export interface Privilege {
  resource: { db: string; collection: string };
  actions: readonly string[];
}
export interface Role {
  name: string;
  privileges: readonly Privilege[];
}

/** The role of one service's user. */
export const roleOf = (service: ServiceName, db: string): Role => ({
  name: `service-${service}`,
  privileges: COLLECTIONS[service].map((collection) => ({
    resource: { db, collection },
    actions: ACTIONS,
  })),
});

export const isServiceName = (name: string): name is ServiceName =>
  Object.hasOwn(COLLECTIONS, name);

/** Their names, for who must not read the environment of a service. */
export const SERVICES = Object.keys(COLLECTIONS);
