import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../index.ts';
import { seeded } from './helper.ts';

const WRITERS = 8;
/** Documents over which indexes are built and which $out copies: enough for several portions. */
const MANY = 5000;

interface Counter {
  _id: number;
  n: number;
  tags: number[];
}

/** What the writers know to be written, over all rounds. */
export class Acknowledged {
  inserted = new Set<string>();
  /** Per writer, the highest count that was acknowledged and the one that was last asked for. */
  counted = Array.from({ length: WRITERS }, () => ({ sure: 0, asked: 0 }));
}

/**
 * One round: eight writers insert, count and push, while indexes are built and a collection is
 * replaced, until the server is killed at a moment that the seed decides; then a new server must know all that was acknowledged, and its indexes must agree
 * with its documents. Returns how many writes were acknowledged.
 */
export async function crashRound(
  folder: string,
  seed: number,
  known: Acknowledged,
): Promise<number> {
  const random = seeded(seed);
  const before = known.inserted.size;
  const server = await startEmbeddedMongo({ folder });
  const client = await new MongoClient(server.uri, {
    serverSelectionTimeoutMS: 300,
    retryWrites: false,
  }).connect();
  const db = client.db('crash');
  await insertMany(db);
  await db.collection('events').createIndex({ key: 1 }, { unique: true });
  await db.collection('events').createIndex({ writer: 1, tags: 1 });
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(db, writer, seed, known));
  writers.push(...rebuild(db));
  await wait(100 + random() * 200);
  server.process.kill('SIGKILL');
  await Promise.all(writers);
  await client.close();
  await check(folder, known);
  return known.inserted.size - before;
}

type Database = ReturnType<MongoClient['db']>;

/** Writes until the server doesn't answer any more. */
async function write(db: Database, writer: number, seed: number, known: Acknowledged) {
  const events = db.collection('events');
  const counters = db.collection<Counter>('counters');
  const mine = known.counted[writer];
  if (!mine) return;
  try {
    for (let i = 0; ; i++) {
      const key = `${seed}-${writer}-${i}`;
      await events.insertOne({ key, writer, tags: [i % 7, 'x'] });
      known.inserted.add(key);
      mine.asked++;
      await counters.updateOne(
        { _id: writer },
        { $inc: { n: 1 }, $push: { tags: { $each: [i], $slice: -5 } } },
        { upsert: true },
      );
      mine.sure = mine.asked;
    }
  } catch {
    // Killed: what was asked for last may or may not be there.
  }
}

/** Inserts the documents over which indexes are built, unless an earlier round has. */
async function insertMany(db: Database): Promise<void> {
  const many = db.collection<{ _id: number }>('many');
  if ((await many.countDocuments()) === MANY) return;
  await many.deleteMany({});
  await many.insertMany(Array.from({ length: MANY }, (_, _id) => ({ _id, a: _id % 100 })));
}

/** Repeats a command until the server doesn't answer any more. */
async function repeat(command: (round: number) => Promise<unknown>): Promise<void> {
  try {
    for (let round = 1; ; round++) await command(round);
  } catch {
    // Killed: what the command makes is there as a whole or not at all.
  }
}

/** Builds and drops an index, changes its documents, and replaces a collection by them. */
function rebuild(db: Database): Promise<void>[] {
  const many = db.collection<{ _id: number }>('many');
  return [
    repeat(async () => {
      await many.createIndex({ a: 1, round: -1 });
      await many.dropIndex('a_1_round_-1');
    }),
    repeat((round) => many.updateOne({ _id: (round * 7) % MANY }, { $set: { a: [round, 1] } })),
    repeat((round) => many.aggregate([{ $set: { round } }, { $out: 'copied' }]).toArray()),
  ];
}

async function check(folder: string, known: Acknowledged): Promise<void> {
  const server = await startEmbeddedMongo({ folder });
  const client = await new MongoClient(server.uri).connect();
  const db = client.db('crash');
  const found = new Set<string>();
  for await (const event of db.collection('events').find()) found.add(event.key);
  const lost = [...known.inserted].filter((key) => !found.has(key));
  const counters = await db.collection<Counter>('counters').find().toArray();
  const wrong = known.counted.flatMap(({ sure, asked }, writer) => {
    const n = counters.find((counter) => counter._id === writer)?.n ?? 0;
    return n >= sure && n <= asked ? [] : [{ writer, sure, asked, n }];
  });
  known.counted = known.counted.map((_, writer) => {
    const n = counters.find((counter) => counter._id === writer)?.n ?? 0;
    return { sure: n, asked: n };
  });
  const copied = await db.collection('copied').find().toArray();
  const rounds = new Set(copied.map(({ round }) => round));
  if (rounds.size > 1 || (copied.length > 0 && copied.length < MANY))
    throw new Error(`a $out is there by half: ${copied.length} documents of ${rounds.size} rounds`);
  await client.close();
  await server.stop();
  if (lost.length || wrong.length) {
    throw new Error(`lost ${JSON.stringify(lost)}, miscounted ${JSON.stringify(wrong)}`);
  }
}
