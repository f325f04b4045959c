import { mongo } from 'mongoose';
import { isDatabaseAway } from '../../support/database-outage.ts';
import { isDuplicateKey } from './database.ts';

/** The outcomes of the writes of one command, in their order. */
export type Outcomes<R> = PromiseSettledResult<R>[];
export const done = <R>(value: R): PromiseSettledResult<R> => ({ status: 'fulfilled', value });
export const failed = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

/** Options of a bulk write: a failed write does not stop the others, and undefined fields are left out. */
export const BULK_OPTIONS = { ordered: false, ignoreUndefined: true } as const;

/** A document whose id is drawn once and never again. */
interface Document {
  _id: number | string;
}

/** The part of a model's collection that this module uses. */
export interface InsertCollection {
  insertOne(document: never, options: object): Promise<unknown>;
  insertMany(documents: never[], options: object): Promise<Counts>;
}

/**
 * Inserts documents with one command and returns the outcome of each:
 *
 * - All documents were inserted or have an error of their own: these are the outcomes.
 * - The database is away, or the write concern was not met: the error is thrown, and some documents may be stored.
 * - The command failed otherwise, or did not reach all documents: each document is inserted alone, so that one
 *   document cannot make the others fail.
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

/** Inserts one document. A retry that finds the id stored has succeeded: the earlier try has stored the document. */
async function insertAlone(
  collection: InsertCollection,
  document: Document,
  isRetry: boolean,
): Promise<PromiseSettledResult<void>> {
  try {
    await collection.insertOne(document as never, { ignoreUndefined: true });
    return done(undefined);
  } catch (error) {
    return isRetry && isDuplicateKey(error, '_id_') ? done(undefined) : failed(error);
  }
}

/** The number of writes that a command carried out, and the errors of the others by their position. */
export interface Answer {
  count: number;
  errors: ReadonlyMap<number, Error>;
}

/** Reads the answer of a bulk write. Throws the error of a command that failed as a whole. */
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

/** The errors of single writes. Empty when the write concern was not met, because no write is durable then. */
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
