/**
 * How the collections would be placed in a sharded database. What belongs to a workspace lies with the workspace; the
 * collections below have another key, or stay on one shard.
 */
const OTHER_KEYS: Readonly<Record<string, string>> = {
  // the workspace itself, or a document for each workspace whose id it has
  workspaces: '_id',
  workspace_keys: '_id',
  attachment_usage: '_id',
  event_usages: '_id',
  // parts of a document of a workspace that name their owner alone
  flow_versions: 'flowId',
  run_steps: '_id',
  'attachment_data.chunks': 'files_id',
  'attachment_data.files': '_id',
  // what requests read or write by its id, of no workspace
  users: '_id',
  sessions: '_id',
  refresh_tokens: '_id',
  token_buckets: '_id',
  idempotency_records: '_id',
};

/** Small collections of the whole installation, which stay on one shard. */
const UNSHARDED =
  /^(sequences|installation|run_workers|email_domains|email_tokens|reset_tokens|mail_slots|outbox_mails|provider_clients|.*_erasures)$/;

/** The field by which the documents of a collection are placed; undefined for a collection that stays on one shard. */
export const shardKeyOf = (collection: string): string | undefined =>
  UNSHARDED.test(collection) ? undefined : (OTHER_KEYS[collection] ?? 'workspaceId');
