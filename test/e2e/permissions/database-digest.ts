import { createHash } from 'node:crypto';
import { type Document, MongoClient } from 'mongodb';
import { waitFor } from '../../helpers/wait.ts';

/** Collections that the service writes by itself: counters of limits, blocks of ids, and the journal of workers. */
const UNRELATED = ['token_buckets', 'sequences', 'run_workers', 'run_steps', 'run_tallies'];

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

/**
 * Resolves when every outbox is empty and every erasure is complete: earlier changes cause no further writes. The last
 * pass over a removed person begins 60 s after the removal.
 */
export const awaitBackgroundWork = (uri: string): Promise<unknown> =>
  waitFor('the end of background work', async () => {
    const client = await MongoClient.connect(uri);
    try {
      const collections = await client.db().collections();
      const counts = await Promise.all(
        collections.map((each) =>
          each.countDocuments(
            each.collectionName.endsWith('_erasures') ? {} : { 'outbox.0': { $exists: true } },
          ),
        ),
      );
      return counts.every((count) => count === 0);
    } finally {
      await client.close();
    }
  });

/** A digest of each collection of the database, by the collection's name. */
export async function digestDatabase(uri: string): Promise<Record<string, string>> {
  const client = await MongoClient.connect(uri);
  try {
    const digests: Record<string, string> = {};
    for (const { name } of await client.db().listCollections().toArray()) {
      if (!UNRELATED.includes(name)) digests[name] = await digestCollection(client, name);
    }
    return digests;
  } finally {
    await client.close();
  }
}

async function digestCollection(client: MongoClient, name: string): Promise<string> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const document of client.db().collection(name).find().sort({ _id: 1 })) {
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
