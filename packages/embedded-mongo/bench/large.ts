import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, MongoClient } from 'mongodb';
import { encodeDocument } from '../bson/encode.ts';
import { toDocument } from '../bson/values.ts';
import { startEmbeddedMongo } from '../index.ts';
import { insertDocument } from '../storage/documents.ts';
import { DATA_FILE, Store } from '../storage/store.ts';
import { residentOf, thing } from './things.ts';

/** Builds of the index. The worst waits of all but the median build are left out, because the machine disturbs some. */
const PASSES = 3;
/** Documents of one commit while the collection is made. */
const COMMIT = 10_000;

interface LargeFigures {
  /** Milliseconds of the longest ping of another connection while the index is built. */
  worstPing: number;
  buildMs: number;
  /** Megabytes of the server's process when the first index was built. */
  residentMegabytes: number;
}

/** Builds an index over many documents and measures how long others wait meanwhile, and the memory. */
export async function measureLarge(documents: number): Promise<LargeFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-bench-'));
  fill(folder, documents);
  const server = await startEmbeddedMongo({ folder });
  const client = await new MongoClient(server.uri).connect();
  const other = await new MongoClient(server.uri).connect();
  const things = client.db('bench').collection('things');
  const passes: { worstPing: number; buildMs: number }[] = [];
  let residentMegabytes = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    passes.push(await measureBuild(things, other));
    // After further passes the mapped file also has the free pages of dropped indexes.
    if (pass === 0) residentMegabytes = await residentOf(other);
    await things.dropIndex('key_1');
  }
  await Promise.all([client.close(), other.close()]);
  await server.stop();
  rmSync(folder, { recursive: true });
  passes.sort((a, b) => a.worstPing - b.worstPing);
  const { worstPing = 0, buildMs = 0 } = passes[Math.floor(PASSES / 2)] ?? {};
  return { worstPing, buildMs, residentMegabytes };
}

async function measureBuild(things: Collection, other: MongoClient) {
  const started = performance.now();
  let isDone = false;
  const build = things.createIndex({ key: 1 }).finally(() => {
    isDone = true;
  });
  let worstPing = 0;
  while (!isDone) {
    const sent = performance.now();
    await other.db().command({ ping: 1 });
    worstPing = Math.max(worstPing, performance.now() - sent);
  }
  await build;
  return { worstPing, buildMs: performance.now() - started };
}

/** Writes the documents into the file without a server. Their keys are in no order, as keys mostly are. */
function fill(folder: string, documents: number): void {
  const store = new Store(join(folder, DATA_FILE), 'NORMAL');
  const context = store.context();
  const things = store.write(context, false, () => store.createCollection(context, 'bench.things'));
  for (let first = 1; first <= documents; first += COMMIT) {
    store.write(context, false, () => {
      for (let i = first; i < Math.min(first + COMMIT, documents + 1); i++) {
        const made = toDocument({ ...thing(i, `key-${(i * 7919) % 1_000_003}`) });
        insertDocument(context, things, encodeDocument(made), made);
      }
    });
  }
  store.close();
}
