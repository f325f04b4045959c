import { createHash } from 'node:crypto';
import { type Document, MongoClient } from 'mongodb';
import { waitFor } from '../../helpers/wait.ts';

/** Collections that the service writes by itself: counters of limits, blocks of ids, and the journal of workers. */
const UNRELATED = ['token_buckets', 'sequences', 'run_workers', 'run_steps', 'run_tallies'];

/** Erasures end by themselves, a minute after the deletion of a workspace or a person. */
const isUnrelated = (name: string): boolean =>
  UNRELATED.includes(name) || name.endsWith('_erasures');

/** The fields that requests write, of collections that workers write as well. */
const RELATED_FIELDS: Record<string, readonly string[]> = {
  runs: ['_id', 'completedAt'],
  event_deliveries: ['_id', 'giveUpAt'],
};

/**
 * Fields that change without an accepted request: the last use of a key or session, and what deliverers write of their lanes
 * and receivers.
 */
const UNRELATED_FIELDS = ['lastUsedAt', 'lane', 'failingSince'];

/** The documents of a collection that are no tombstones. */
const NO_TOMBSTONE: Record<string, Document> = { users: { deletion: { $exists: false } } };

/** Resolves when every outbox is empty and each erasure has made its first pass: earlier changes change no document any more. */
export const awaitHandOvers = (uri: string): Promise<unknown> =>
  waitFor('empty outboxes and erased documents', async () => {
    const client = await MongoClient.connect(uri);
    try {
      const collections = await client.db().collections();
      const counts = await Promise.all(
        collections.map((each) =>
          each.countDocuments(
            each.collectionName.endsWith('_erasures')
              ? { pass: 0 }
              : { 'outbox.0': { $exists: true } },
          ),
        ),
      );
      return counts.every((count) => count === 0);
    } finally {
      await client.close();
    }
  });

/**
 * A digest of each collection of the database, by the collection's name. The tombstones of deleted persons are left
 * out: they are removed by themselves.
 */
export async function digestDatabase(uri: string): Promise<Record<string, string>> {
  const client = await MongoClient.connect(uri);
  try {
    const digests: Record<string, string> = {};
    for (const { name } of await client.db().listCollections().toArray()) {
      if (!isUnrelated(name)) digests[name] = await digestCollection(client, name);
    }
    return digests;
  } finally {
    await client.close();
  }
}

async function digestCollection(client: MongoClient, name: string): Promise<string> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const document of client
    .db()
    .collection(name)
    .find(NO_TOMBSTONE[name] ?? {})
    .sort({ _id: 1 })) {
    hash.update(JSON.stringify(relatedPart(name, document)));
    count++;
  }
  return `${count} ${hash.digest('hex')}`;
}

const relatedPart = (collection: string, document: Document): [string, unknown][] =>
  Object.entries(document).filter(
    ([field]) =>
      !UNRELATED_FIELDS.includes(field) && (RELATED_FIELDS[collection]?.includes(field) ?? true),
  );
