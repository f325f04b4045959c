import { isNumeric, toDouble } from '../bson/numbers.ts';
import { type Document, fromNumber, isDocument, toDocument, type Value } from '../bson/values.ts';
import { MongoError } from '../errors.ts';
import { UNFINISHED } from '../sessions/retries.ts';
import type { Request } from './request.ts';
import type { WriteUnit } from './write-unit.ts';

/** The results of a command's statements so far. */
export class Counts {
  n = 0;
  nModified = 0;
  upserted: Document[] = [];
  errors: Document[] = [];
}

/**
 * Runs a command's statements, ordered or unordered, in portions, and collects their errors as MongoDB does. A statement
 * must look its collection up, which others may have dropped since the last portion.
 */
export async function runStatements<T>(
  request: Request,
  unit: WriteUnit,
  statements: readonly T[],
  run: (statement: T, index: number, counts: Counts) => void | Promise<void>,
): Promise<Counts> {
  const { context, engine } = request;
  const ordered = request.get('ordered') !== false;
  const { counts, done } = resumed(request.resumed);
  await unit.begin();
  for (let index = done; index < statements.length; index++) {
    // A retry after a crash must not repeat statements that were committed in a pause.
    let noted = index === 0;
    unit.progress = () => {
      if (!noted) remember(request, counts, index);
      noted = true;
    };
    try {
      const pending = run(statements[index] as T, index, counts);
      if (pending) await pending;
    } catch (error) {
      if (!(error instanceof MongoError) || isWhole(error)) throw error;
      counts.errors.push(writeError(error, index));
      if (ordered || context.transaction) break;
    }
    if (!unit.isDue || index + 1 === statements.length) continue;
    unit.progress = () => remember(request, counts, index + 1);
    await unit.pause();
  }
  unit.progress = undefined;
  if (counts.errors.length > 0 && context.transaction) engine.sessions.doom(context);
  return counts;
}

function remember(request: Request, counts: Counts, done: number): void {
  const progress = toDocument({ done, n: counts.n, nModified: counts.nModified });
  progress.set('upserted', counts.upserted).set('errors', counts.errors);
  request.engine.sessions.retries.remember(request, progress, UNFINISHED);
}

function resumed(progress: Document | undefined): { counts: Counts; done: number } {
  const counts = new Counts();
  const number = (name: string): number => {
    const value = progress?.get(name);
    return isNumeric(value) ? toDouble(value) : 0;
  };
  const list = (name: string): Document[] => {
    const value = progress?.get(name);
    return Array.isArray(value) ? value.filter(isDocument) : [];
  };
  counts.n = number('n');
  counts.nModified = number('nModified');
  counts.upserted = list('upserted');
  counts.errors = list('errors');
  return { counts, done: number('done') };
}

/** Tells whether an error ends the whole command and not just one statement. */
const isWhole = (error: MongoError): boolean =>
  [
    'WriteConflict',
    'OutOfDiskSpace',
    'MaxTimeMSExpired',
    'LockTimeout',
    'NoSuchTransaction',
    'SnapshotUnavailable',
  ].includes(error.codeName);

function writeError(error: MongoError, index: number): Document {
  const document = toDocument({ index, code: error.code });
  for (const [name, value] of error.details ?? []) document.set(name, value);
  return document.set('errmsg', error.message);
}

/** Makes the reply of a write command: its counts, then its errors. */
export function writeResult(
  counts: { [name: string]: Value | number | undefined },
  errors: Document[],
): Document {
  const result: Document = new Map();
  for (const [name, value] of Object.entries(counts)) {
    if (value !== undefined)
      result.set(name, typeof value === 'number' ? fromNumber(value) : value);
  }
  if (errors.length > 0) result.set('writeErrors', errors);
  return result;
}
