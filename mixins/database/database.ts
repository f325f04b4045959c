import { setTimeout as sleep } from 'node:timers/promises';
import type { Service, ServiceSchema } from 'moleculer';
import mongoose from 'mongoose';
import { isDatabaseAway } from '../../support/database-outage.ts';
import { databaseCommand, watchCommands } from './commands.ts';
import { endWritesOfClosedConnections } from './driver-writes.ts';

mongoose.set('bufferCommands', false); // a query before the connection is an error, not a wait
mongoose.set('strictQuery', 'throw');
endWritesOfClosedConnections();

/** Milliseconds that one command may wait for a server before the caller gets 503. */
const SERVER_SELECTION_MS = 2_000;
/** The driver looks at the servers so often; a process without its database is asked nothing that would make it look sooner. */
const LOOK_EVERY_MS = 1_000;

/**
 * Connects this process to MongoDB. A database that is away at first is waited for in the background;
 * until it is there every query fails and its caller gets 503.
 */
export async function connectDatabase(uri: string): Promise<void> {
  await mongoose.connect(uri, {
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    heartbeatFrequencyMS: LOOK_EVERY_MS,
    retryWrites: true,
    autoIndex: false,
    autoCreate: false,
    maxPoolSize: 50,
    monitorCommands: databaseCommand.hasSubscribers,
  });
  if (databaseCommand.hasSubscribers) watchCommands(mongoose.connection.getClient());
  firstConnection.resolve();
}

/** Before it there is no collection. */
const firstConnection = Promise.withResolvers<void>();

const GOODBYE_MS = 500;

/** The driver ends its sessions first; a database that does not answer is left without a word. */
export async function disconnectDatabase(): Promise<void> {
  await Promise.race([mongoose.disconnect(), sleep(GOODBYE_MS, undefined, { ref: false })]);
}

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

/** A connection that is gone for longer than a planned election takes leaves the process without its work. */
const LOST_AFTER_MS = 3_000;

/** Tells when the database has been gone for a while, and whenever its connection is back. */
export function watchDatabase(tell: (usable: boolean) => void): void {
  let lost: NodeJS.Timeout | undefined;
  mongoose.connection.on('disconnected', () => {
    lost ??= setTimeout(tell, LOST_AFTER_MS, false).unref();
  });
  mongoose.connection.on('connected', () => {
    clearTimeout(lost);
    lost = undefined;
    tell(true);
  });
}

/** What this mixin uses of a mongoose model, whatever its documents are. */
interface Collection {
  modelName: string;
  createCollection(): Promise<unknown>;
  createIndexes(): Promise<unknown>;
}

/** What a start waits for the database before the service starts without it, answering 503. */
const START_GRACE_MS = 3_000;
const RETRY_MS = 200;

const preparations = new Set<Promise<void>>();

/**
 * Resolves when the collections of all services of this process are there. Rejects when one of them
 * cannot be made, however often it is tried: the process cannot do its work then.
 */
export const databasePrepared = async (): Promise<void> => void (await Promise.all(preparations));

/**
 * Gives a service its collections: their indexes are there before it starts. Where the database is away
 * the service starts without it, and they are made as soon as it comes.
 */
export function Database(...models: readonly Collection[]): Partial<ServiceSchema> {
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

/** Tries again what passes. Throws what does not, with the collection's name and nothing else before it. */
async function untilMade(model: Collection, warn: (line: string) => void): Promise<void> {
  let said = '';
  for (;;) {
    try {
      await model.createCollection();
      await model.createIndexes();
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

/** Refusals of a server that is busy, or whose user has not been given its rights yet. */
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
 * Whether a write failed because a unique index already holds the key; `index` narrows to one. A bulk
 * write in which a statement failed for another reason as well is none.
 */
export function isDuplicateKey(error: unknown, index?: string): boolean {
  const { MongoServerError, MongoBulkWriteError } = mongoose.mongo;
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return false;
  const statements = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  if (statements.some(({ code }) => code !== DUPLICATE_KEY)) return false;
  return !index || error.message.includes(` ${index} `);
}

const DUPLICATE_KEY = 11000;
