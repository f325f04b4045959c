import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DATA_FILE } from './store.ts';

/** Pages of one step. The thread that copies looks between two steps whether the process is to end. */
const PAGES_PER_STEP = 1_000;
/** Faults of the copy that the error names; further ones are left out. */
const MAX_FAULTS = 3;
/** The name of the copied file until the copy is whole. */
const PARTIAL_FILE = `${DATA_FILE}-partial`;
/** The log file of the database. It grows by each write while a copy is made. */
const LOG_FILE = `${DATA_FILE}-wal`;
/** Bytes that the log file may have during a copy of a database that is smaller. */
const MIN_LOG_LIMIT = 1024 ** 3;

interface CopyLimits {
  /** Bytes that the log file may have during the copy; without it those of the database, and 1 GiB at least. */
  maxLogBytes?: number;
}

/**
 * Copies the data file into a new folder, also while a server writes to the file: the copy has every write that was
 * acknowledged before the call, and none by half. Resolves when the copy is checked and on the disk.
 *
 * Rejects when the folder exists, the disk has no room for the copy, or the log file grows beyond its limit, and for
 * faults of the disk or of the copy; then the new folder is removed. A killed process leaves a folder without data file.
 */
export async function copyStore(
  folder: string,
  into: string,
  limits: CopyLimits = {},
): Promise<void> {
  assertHasData(folder);
  mkdirSync(into, { mode: 0o700 });
  try {
    await fillCopy(folder, into, limits);
  } catch (error) {
    rmSync(into, { recursive: true, force: true });
    throw error;
  }
}

/** Throws an Error unless the folder has a data file. SQLite would make an empty one. */
export function assertHasData(folder: string): void {
  if (!existsSync(join(folder, DATA_FILE))) throw new Error(`${folder} has no file ${DATA_FILE}.`);
}

async function fillCopy(folder: string, into: string, limits: CopyLimits): Promise<void> {
  const partial = join(into, PARTIAL_FILE);
  const dataBytes = statSync(join(folder, DATA_FILE)).size;
  const { maxLogBytes = Math.max(dataBytes, MIN_LOG_LIMIT) } = limits;
  assertRoom(into, dataBytes + logBytesOf(folder));
  const source = new DatabaseSync(join(folder, DATA_FILE), { readOnly: true });
  try {
    // The transaction keeps one moment for all steps: without it each write to the file would begin the copy again.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(source, partial, {
      rate: PAGES_PER_STEP,
      progress: () => assertLogWithin(folder, maxLogBytes),
    });
  } finally {
    source.close();
  }
  assertSound(partial);
  syncToDisk(partial);
  renameSync(partial, join(into, DATA_FILE));
  syncToDisk(into);
}

/** A copy that fills the disk of the database would stop the database as well. */
function assertRoom(into: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(into);
  const free = bavail * bsize;
  if (free > bytes) return;
  throw new Error(`The copy needs ${bytes} bytes, and the disk of ${into} has ${free} free.`);
}

/** The transaction of a copy keeps the log file from being emptied. A copy that is too slow must not fill the disk. */
function assertLogWithin(folder: string, maxBytes: number): void {
  const bytes = logBytesOf(folder);
  if (bytes <= maxBytes) return;
  throw new Error(
    `The copy is too slow for the writes: ${LOG_FILE} has ${bytes} bytes, of ${maxBytes} at most.`,
  );
}

const logBytesOf = (folder: string): number =>
  statSync(join(folder, LOG_FILE), { throwIfNoEntry: false })?.size ?? 0;

function assertSound(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    const lines = copy.prepare(`PRAGMA integrity_check(${MAX_FAULTS})`).all();
    const faults = lines
      .map((line) => String(line.integrity_check))
      .filter((line) => line !== 'ok');
    if (faults.length) throw new Error(`The copy has faults: ${faults.join('; ')}`);
  } finally {
    copy.close();
  }
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
