import type { ServiceName } from '../environment/process.ts';

/** The collection from which services take the ids of new resources (`mixins/database/ids.ts`). */
const IDS = 'sequences';

/**
 * The collections that each service reads and writes: its own collections and the collection of ids. A test compares the
 * list with the models that the service's code imports.
 */
export const COLLECTIONS: Record<ServiceName, readonly string[]> = {
  api: [IDS, 'idempotency_records'],
  identity: [
    IDS,
    'api_keys',
    'email_domains',
    'email_tokens',
    'identity_erasures',
    'key_notices',
    'mail_slots',
    'outbox_mails',
    'provider_clients',
    'refresh_tokens',
    'reset_tokens',
    'service_accounts',
    'sessions',
    'token_buckets',
    'users',
  ],
  workspaces: [IDS, 'audit_entries', 'invitations', 'members', 'workspaces', 'workspaces_erasures'],
  issues: [IDS, 'issue_raises', 'issues', 'issues_erasures'],
  connections: [
    IDS,
    'api_descriptions',
    'auth_credentials',
    'connections_erasures',
    'credential_tokens',
    'workspace_keys',
  ],
  configurations: [IDS, 'configuration_stores', 'configurations_erasures'],
  flows: [IDS, 'flow_versions', 'flows', 'flows_erasures', 'transformation_tests'],
  workflows: [IDS, 'workflows', 'workflows_erasures'],
  'dev-mode': [IDS, 'dev_mode_branches', 'dev_mode_edits', 'dev_mode_erasures'],
  runs: [
    IDS,
    'installation',
    'run_bulk_jobs',
    'run_steps',
    'run_tallies',
    'run_workers',
    'runs',
    'runs_erasures',
  ],
  triggers: [IDS, 'schedules', 'triggers_erasures', 'webhooks'],
  events: [
    IDS,
    'event_deliveries',
    'event_subscriptions',
    'event_usages',
    'events_erasures',
    'outgoing_events',
  ],
  assistant: [
    IDS,
    'assistant_erasures',
    'attachment_data.chunks',
    'attachment_data.files',
    'attachment_uploads',
    'attachment_usage',
    'attachments',
    'conversations',
    'messages',
  ],
  recordings: [IDS, 'recording_batches', 'recordings', 'recordings_erasures'],
};

/** The actions that a service may do with its collections, which include making a collection and its indexes. */
const ACTIONS = ['find', 'insert', 'update', 'remove', 'createCollection', 'createIndex'] as const;

export interface Privilege {
  resource: { db: string; collection: string };
  actions: readonly string[];
}
export interface Role {
  name: string;
  privileges: readonly Privilege[];
  /** Roles of MongoDB whose rights this role has as well. */
  roles?: readonly string[];
}

/** Returns the role of a service's user. */
export const roleOf = (service: ServiceName, db: string): Role => ({
  name: `service-${service}`,
  privileges: COLLECTIONS[service].map((collection) => ({
    resource: { db, collection },
    actions: ACTIONS,
  })),
});

/** The user that `mongodump` signs in as, which reads everything and writes nothing. */
export const BACKUP_USER = 'backup';
export const BACKUP_ROLE: Role = { name: 'read-for-backup', privileges: [], roles: ['backup'] };

export const isServiceName = (name: string): name is ServiceName =>
  Object.hasOwn(COLLECTIONS, name);

/** The names of the services, for programs that must not read the environment of a service. */
export const SERVICES = Object.keys(COLLECTIONS);
