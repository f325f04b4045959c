import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder } from './private-folder.ts';

const SQLITE_BUSY = 5;
/** Replaces a file, and never the target of a link, which another user may have put into a folder that was open to all. */
const REPLACE_NO_LINK =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

/** The right of one process to use a folder, an operating-system lock that ends with the process. */
export interface FolderLock {
  release(): void;
}

class FolderInUse extends Error {
  constructor(folder: string, holder: string) {
    super(`The folder ${folder} is in use by ${holder}: stop it first or choose another folder.`);
    this.name = 'FolderInUse';
  }
}

class FolderUnusable extends Error {
  constructor(folder: string, reason: string) {
    super(`The folder ${folder} cannot hold a database: ${reason}.`);
    this.name = 'FolderUnusable';
  }
}

/**
 * Locks the folder for this process, or throws FolderInUse or FolderUnusable.
 *
 * A file with a process id would be wrong after a crash and after the id was used again, and two processes might write
 * it at the same time. SQLite's exclusive lock on a database of its own has none of these faults; the file `holder` only
 * names the process in the error.
 */
export function lockFolder(folder: string, holder: number = process.pid): FolderLock {
  const named = join(folder, 'holder');
  let db: DatabaseSync | undefined;
  try {
    makePrivateFolder(folder);
    db = new DatabaseSync(join(folder, 'lock.sqlite'));
    db.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    writeHolder(named, holder);
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw new FolderInUse(folder, nameOf(named));
    throw new FolderUnusable(folder, error instanceof Error ? error.message : String(error));
  }
  const held = db;
  return { release: () => held.close() };
}

function writeHolder(path: string, holder: number): void {
  const file = openSync(path, REPLACE_NO_LINK, 0o600);
  try {
    writeSync(file, String(holder));
  } finally {
    closeSync(file);
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;

/** Names the process that holds the lock. The process writes its id after it has the lock, so the id may be missing. */
function nameOf(file: string): string {
  try {
    const holder = readFileSync(file, 'utf8');
    return /^\d+$/.test(holder) ? `process ${holder}` : 'another process';
  } catch {
    return 'another process';
  }
}
