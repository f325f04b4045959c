import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceSchema } from 'moleculer';
import mongoose from 'mongoose';
import { databaseCommand, watchCommands } from './database-commands.ts';
import { isDatabaseAway } from './failures.ts';

mongoose.set('bufferCommands', false); // a query before the connection is an error, not a wait
mongoose.set('strictQuery', 'throw');

/** Milliseconds that one command may wait for a server before the caller gets 503. */
const SERVER_SELECTION_MS = 2_000;

/**
 * Connects this process to MongoDB. A database that is away at first is waited for in the background;
 * until it is there every query fails and its caller gets 503.
 */
export async function connectDatabase(uri: string): Promise<void> {
  await mongoose.connect(uri, {
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    retryWrites: true,
    autoIndex: false,
    autoCreate: false,
    maxPoolSize: 50,
    monitorCommands: databaseCommand.heard,
  });
  if (databaseCommand.heard) watchCommands(mongoose.connection.getClient());
}

export const disconnectDatabase = (): Promise<void> => mongoose.disconnect();

const ANSWERS_WITHIN_MS = 1_000;

/** Whether the database answers now. */
export async function isDatabaseUp(): Promise<boolean> {
  try {
    const { db, readyState } = mongoose.connection;
    if (!db || readyState !== mongoose.ConnectionStates.connected) return false;
    const silence = sleep(ANSWERS_WITHIN_MS, false, { ref: false });
    return await Promise.race([
      db
        .admin()
        .ping()
        .then(() => true),
      silence,
    ]);
  } catch {
    return false; // that it does not answer is the answer
  }
}

/** What this mixin uses of a mongoose model, whatever its documents are. */
interface Collection {
  createCollection(): Promise<unknown>;
  createIndexes(): Promise<unknown>;
}

/** What a start waits for the database before the service starts without it, answering 503. */
const START_GRACE_MS = 3_000;
const RETRY_MS = 200;

const preparations = new Set<Promise<void>>();

/** Resolves when the collections of all services of this process are there. */
export const databasePrepared = async (): Promise<void> => void (await Promise.all(preparations));

/**
 * Gives a service its collections: their indexes are there before it starts. Where the database is away
 * the service starts without it, and they are made as soon as it comes.
 */
export function Database(...models: readonly Collection[]): Partial<ServiceSchema> {
  return {
    async started() {
      const prepared = untilReached(async () => {
        await mongoose.connection.asPromise(); // the first connection: before it there is no collection
        for (const model of models) {
          await model.createCollection();
          await model.createIndexes();
        }
      });
      preparations.add(prepared);
      await Promise.race([prepared, sleep(START_GRACE_MS, undefined, { ref: false })]);
    },
  };
}

/** Does the work again while the database is away, until the process gives up on it. */
async function untilReached(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

/** Whether a write failed because a unique index already holds the key; `index` narrows to one. */
export function isDuplicateKey(error: unknown, index?: string): boolean {
  if (!(error instanceof mongoose.mongo.MongoServerError) || error.code !== 11000) return false;
  return !index || error.message.includes(` ${index} `);
}
