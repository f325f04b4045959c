/**
 * Measures operations at 16 connections, as a share of `ping` on the same connections in the same seconds, and then what
 * the building of an index over many documents costs others: `node bench/run.ts [documents] [many]`, with 10000 and
 * 1000000 documents by default. With 0 for `many`, the index is left out.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../index.ts';
import { measureLarge } from './large.ts';
import { residentOf, type Thing, thing } from './things.ts';

const CONNECTIONS = 16;
const ROUNDS = 25;
const ROUND_MS = 80;
const WANTED = {
  'find by _id': 0.6,
  'find by unique key': 0.6,
  insert: 0.5,
  $inc: 0.4,
  'range, sort, 20': 0.3,
};

/** Milliseconds that others may wait while an index over a million documents is built. A portion takes 4 to 10. */
const WORST_PING_MS = 100;
/**
 * Megabytes of the server at a million documents of 105 bytes. The mapped file takes 200 of them: the documents 130, the
 * two indexes 35 each. The keys that a build sorts take 16, the page cache 16; the rest is JavaScript's heap.
 */
const RESIDENT_MEGABYTES = 450;

const size = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-bench-'));
const first = await startEmbeddedMongo({ folder });
await fill(first.uri);
await first.stop();

const begun = performance.now();
const server = await startEmbeddedMongo({ folder });
const client = await new MongoClient(server.uri, {
  maxPoolSize: CONNECTIONS,
  minPoolSize: CONNECTIONS,
}).connect();
const db = client.db('bench');
const things = db.collection<Thing>('things');
await things.findOne({ _id: 1 });
say('cold start and first read', `${Math.round(performance.now() - begun)} ms`);
say('memory when idle', `${await residentOf(client)} MB`);

let next = size;
const anyId = (): number => 1 + Math.floor(Math.random() * size);
const operations: Record<string, () => Promise<unknown>> = {
  ping: () => db.command({ ping: 1 }),
  'find by _id': () => things.findOne({ _id: anyId() }),
  'find by unique key': () => things.findOne({ key: `key-${anyId()}` }),
  insert: () => things.insertOne(thing(++next)),
  $inc: () => things.updateOne({ _id: anyId() }, { $inc: { n: 1 } }),
  'range, sort, 20': () => recent(things, Math.floor(Math.random() * 100)),
};
const rates = new Map(Object.keys(operations).map((name) => [name, [] as number[]]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, operation] of Object.entries(operations)) {
    const rate = await measure(operation);
    if (round > 0) rates.get(name)?.push(rate);
  }
}
const ping = median(rates.get('ping') ?? []);
say('ping', `${Math.round(ping)} /s`);
for (const [name, wanted] of Object.entries(WANTED)) {
  const rate = median(rates.get(name) ?? []);
  say(name, `${Math.round(rate)} /s, ${(rate / ping).toFixed(2)} of ping (at least ${wanted})`);
}
await client.close();
await server.stop();
rmSync(folder, { recursive: true });

const many = Number(process.argv[3] ?? 1_000_000);
if (many > 0) {
  const { worstPing, buildMs, residentMegabytes } = await measureLarge(many);
  const built = `${Math.round(worstPing)} ms (at most ${WORST_PING_MS}), built in ${Math.round(buildMs)} ms`;
  say('worst ping during a build', built);
  say('memory at many documents', `${residentMegabytes} MB (at most ${RESIDENT_MEGABYTES})`);
}

function recent(collection: Collection<Thing>, group: number): Promise<unknown> {
  const since = new Date(1.7e12 + Math.random() * size * 500);
  return collection
    .find({ group, at: { $gte: since } })
    .sort({ at: -1 })
    .limit(20)
    .toArray();
}

async function fill(uri: string): Promise<void> {
  const filler = await new MongoClient(uri).connect();
  const collection = filler.db('bench').collection<Thing>('things');
  await collection.createIndex({ key: 1 }, { unique: true });
  await collection.createIndex({ group: 1, at: -1 });
  for (let i = 1; i <= size; i += 5000) {
    await collection.insertMany(
      Array.from({ length: Math.min(5000, size - i + 1) }, (_, j) => thing(i + j)),
    );
  }
  await filler.close();
}

async function measure(operation: () => Promise<unknown>): Promise<number> {
  let done = 0;
  const end = performance.now() + ROUND_MS;
  const started = performance.now();
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      await operation();
      done++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return (done / (performance.now() - started)) * 1000;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function say(what: string, value: string): void {
  process.stdout.write(`${what.padEnd(28)}${value}\n`);
}
