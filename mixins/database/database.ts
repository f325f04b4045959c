import { setTimeout as sleep } from 'node:timers/promises';
import type { Service, ServiceSchema } from 'moleculer';
import mongoose from 'mongoose';
import { lifecycleOf } from '../../models/lifecycle.ts';
import { noteActivity } from '../../support/activity.ts';
import { isDatabaseAway } from '../../support/database-outage.ts';
import { databaseCommand, watchCommands } from './commands.ts';
import { databaseClock } from './database-clock.ts';
import { endWritesOfClosedConnections } from './driver-writes.ts';
import { poolChanged, watchPools } from './pools.ts';

mongoose.set('bufferCommands', false); // a query before the connection is an error, not a wait
mongoose.set('strictQuery', 'throw');
endWritesOfClosedConnections();

/** Milliseconds that one command may wait for a server before the caller gets 503. */
const SERVER_SELECTION_MS = 2_000;
/** Milliseconds between two checks of the servers by the driver. The return of a database is noticed after that time at the latest. */
const LOOK_EVERY_MS = 1_000;
/** Connections of this process to each server. Beyond them commands wait for a connection. */
const MAX_POOL_SIZE = 50;

/**
 * Connects this process to MongoDB. Without a connection every query fails, and its caller gets 503.
 */
export async function connectDatabase(uri: string): Promise<void> {
  const connecting = mongoose.connect(uri, {
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    heartbeatFrequencyMS: LOOK_EVERY_MS,
    retryWrites: true,
    autoIndex: false,
    autoCreate: false,
    maxPoolSize: MAX_POOL_SIZE,
    monitorCommands: databaseCommand.hasSubscribers,
  });
  if (poolChanged.hasSubscribers) watchPools(mongoose.connection.getClient()); // before its first connection
  await connecting;
  if (databaseCommand.hasSubscribers) watchCommands(mongoose.connection.getClient());
  firstConnection.resolve();
  await readClock();
}

/** Milliseconds that the first reading of the database's clock may delay the start. Then a worker's heartbeat reads the clock. */
const CLOCK_READING_MS = 1_000;

/** Reads the clock of the database twice, because the first command opens a connection and is slow. */
async function readClock(): Promise<void> {
  const limit = sleep(CLOCK_READING_MS, undefined, { ref: false });
  const readTwice = () => databaseClock.read().then(() => databaseClock.read());
  await Promise.race([readTwice().catch(() => undefined), limit]);
}

/** Resolves at the first connection. Collections are made after it. */
const firstConnection = Promise.withResolvers<void>();

/** Milliseconds that the end of the connection may take at the stop of the process. */
const GOODBYE_MS = 500;

/** Ends the sessions of the driver and its connections. A database that does not answer in time is left. */
export async function disconnectDatabase(): Promise<void> {
  await Promise.race([mongoose.disconnect(), sleep(GOODBYE_MS, undefined, { ref: false })]);
}

/** Milliseconds after which a database that has not answered counts as down. */
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
    return false; // any error means that the database is down
  }
}

/** Milliseconds without a connection after which the process takes no calls. A planned election takes less. */
const LOST_AFTER_MS = 3_000;

/** Calls `tell(false)` when the connection has been lost for a while, and `tell(true)` whenever it is back. */
export function watchDatabase(tell: (usable: boolean) => void): void {
  let lost: NodeJS.Timeout | undefined;
  mongoose.connection.on('disconnected', () => {
    lost ??= setTimeout(tell, LOST_AFTER_MS, false).unref();
  });
  mongoose.connection.on('connected', () => {
    clearTimeout(lost);
    lost = undefined;
    noteActivity(); // timers may have failed meanwhile
    tell(true);
  });
}

/** The part of a mongoose model that this mixin uses. */
export interface Collection {
  modelName: string;
  schema: { indexes(): [Record<string, unknown>, object][] };
  collection: unknown;
  createCollection(): Promise<unknown>;
}

/** Makes a collection with its indexes in one command. Mongoose would send a command for each index. */
export async function makeCollection(model: Collection): Promise<void> {
  const indexes = model.schema.indexes().map(([key, options]) => ({ ...options, key }));
  const collection = model.collection as mongoose.mongo.Collection;
  if (indexes.length > 0)
    await collection.createIndexes(indexes as mongoose.mongo.IndexDescription[]);
  else await model.createCollection();
}

/** Milliseconds that a start waits for the database. Beyond them the service starts and answers 503. */
const START_GRACE_MS = 3_000;
/** Milliseconds between two attempts to make a collection. */
const RETRY_MS = 200;

/** The preparation of each service of this process. */
const preparations = new Set<Promise<void>>();

/**
 * Resolves when the collections of all services of this process exist. Rejects when a collection cannot be made by
 * any number of attempts: the process cannot work without the collection.
 */
export const databasePrepared = async (): Promise<void> => void (await Promise.all(preparations));

/**
 * Makes the collections of a service and their indexes before the service starts. Without a database the service
 * starts all the same, and the collections are made as soon as the database is there. A deletion of a workspace or of
 * a person leaves their documents.
 */
export function Database(...models: readonly Collection[]): Partial<ServiceSchema> {
  for (const model of models) assertKept(model);
  return Collections(...models);
}

/** Throws for a model whose documents a deletion removes or renames, since this mixin erases nothing. */
function assertKept(model: Collection): void {
  const { workspace, person } = lifecycleOf(model);
  if ('keep' in workspace && 'keep' in person) return;
  throw new TypeError(`${model.modelName} needs erasures (mixins/lifecycle/erasures.ts)`);
}

/** Makes collections as `Database` does, for a mixin that carries out their lifecycles. */
export function Collections(...models: readonly Collection[]): Partial<ServiceSchema> {
  return {
    async started(this: Service) {
      const prepared = makeAll(models, (line) => this.logger.warn(line));
      prepared.catch(() => undefined); // `databasePrepared` tells of it
      preparations.add(prepared);
      await Promise.race([prepared, sleep(START_GRACE_MS, undefined, { ref: false })]);
    },
  };
}

async function makeAll(models: readonly Collection[], warn: (line: string) => void): Promise<void> {
  await firstConnection.promise;
  for (const model of models) await untilMade(model, warn);
}

/** Makes a collection and repeats failures that can pass. Throws any other failure with the name of the collection. */
async function untilMade(model: Collection, warn: (line: string) => void): Promise<void> {
  let said = '';
  for (;;) {
    try {
      await makeCollection(model);
      return;
    } catch (error) {
      const line = `The collection of ${model.modelName} cannot be made: ${(error as Error).message}`;
      if (!passes(error)) throw new Error(line, { cause: error });
      if (line !== said) warn(line);
      said = line;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}

/** Codes of failures that can pass: of a busy server, or of a user who does not have the rights yet. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  13, // Unauthorized
  24, // LockTimeout
  50, // MaxTimeMSExpired
  117, // ConflictingOperationInProgress
  12587, // BackgroundOperationInProgressForNamespace
]);

const passes = (error: unknown): boolean =>
  isDatabaseAway(error) ||
  (error instanceof mongoose.mongo.MongoServerError && PASSING_CODES.has(error.code));

/**
 * Whether a write failed because a unique index already holds the key, or the index with that name does. A bulk
 * write with a statement that failed for another reason is no such failure.
 */
export function isDuplicateKey(error: unknown, index?: string): boolean {
  const { MongoServerError, MongoBulkWriteError } = mongoose.mongo;
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return false;
  const statements = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  if (statements.some(({ code }) => code !== DUPLICATE_KEY)) return false;
  return !index || error.message.includes(` ${index} `);
}

const DUPLICATE_KEY = 11000;
