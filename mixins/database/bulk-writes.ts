import { mongo } from 'mongoose';
import { isDatabaseAway } from '../../support/database-outage.ts';
import { isDuplicateKey } from './database.ts';

/** The outcomes of writes that went together, in their order. */
export type Outcomes<R> = PromiseSettledResult<R>[];
export const done = <R>(value: R): PromiseSettledResult<R> => ({ status: 'fulfilled', value });
export const failed = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

/** Writes of one command do not depend on each other; undefined fields are left out. */
export const BULK_OPTIONS = { ordered: false, ignoreUndefined: true } as const;

/** A document whose id is drawn once and never again. */
interface Document {
  _id: number | string;
}

/** What this module uses of a model's collection, whatever its documents are. */
export interface InsertCollection {
  insertOne(document: never, options: object): Promise<unknown>;
  insertMany(documents: never[], options: object): Promise<Counts>;
}

/**
 * Inserts documents with one command, and tells the outcome of each apart:
 *
 * - As many documents were inserted as were sent: all are stored. Errors of single documents name theirs.
 * - The command failed as a whole because the database is away, or its write concern was not met: that is
 *   thrown, and some may be stored.
 * - The command failed otherwise, or did not reach all: each document is sent alone, so that one cannot
 *   fail the others.
 */
export async function insertAll(
  collection: InsertCollection,
  documents: readonly Document[],
): Promise<Outcomes<void>> {
  const insertAgain = (document: Document, isRetry: boolean) =>
    insertAlone(collection, document, isRetry);
  try {
    const { count, errors } = await answerOf(
      collection.insertMany([...documents] as never[], BULK_OPTIONS),
    );
    const isComplete = count + errors.size === documents.length;
    const others = (document: Document) =>
      isComplete ? done(undefined) : insertAgain(document, true);
    return await Promise.all(
      documents.map((document, at) => (errors.has(at) ? failed(errors.get(at)) : others(document))),
    );
  } catch (error) {
    if (documents.length === 1 || isDatabaseAway(error)) throw error;
    const wasSent = error instanceof mongo.MongoBulkWriteError;
    return Promise.all(documents.map((document) => insertAgain(document, wasSent)));
  }
}

/** A retry may find the document stored by the earlier try: a stored document of this id is this one. */
async function insertAlone(
  collection: InsertCollection,
  document: Document,
  isRetry: boolean,
): Promise<PromiseSettledResult<void>> {
  try {
    await collection.insertOne(document as never, { ignoreUndefined: true });
    return done(undefined);
  } catch (error) {
    return isRetry && isDuplicateKey(error) ? done(undefined) : failed(error);
  }
}

/** How many writes of a command were carried out, and the errors of those that were not, by their place. */
export interface Answer {
  count: number;
  errors: ReadonlyMap<number, Error>;
}

/** Throws what went wrong with the command as a whole. */
export async function answerOf(command: Promise<Counts>): Promise<Answer> {
  try {
    return { count: countOf(await command), errors: new Map() };
  } catch (error) {
    const errors = writeErrorsOf(error);
    if (!errors.size) throw error;
    return { count: countOf(error as mongo.MongoBulkWriteError), errors };
  }
}

const countOf = ({ insertedCount, matchedCount = 0 }: Counts): number =>
  insertedCount + matchedCount;
interface Counts {
  insertedCount: number;
  matchedCount?: number;
}

/** Empty where a write concern was not met as well: then no write is as safe as it has to be. */
function writeErrorsOf(error: unknown): ReadonlyMap<number, Error> {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) {
    return new Map();
  }
  return new Map(
    [error.writeErrors]
      .flat()
      .map(({ index, code, errmsg }) => [
        index,
        new mongo.MongoServerError({ message: errmsg ?? 'a write failed', code }),
      ]),
  );
}
