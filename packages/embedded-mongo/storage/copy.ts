import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DATA_FILE } from './store.ts';

/** Pages of one step. The thread that copies looks between two steps whether the process is to end. */
const PAGES_PER_STEP = 1_000;
/** Faults of the copy that the error names; further ones are left out. */
const MAX_FAULTS = 3;

/**
 * Copies the data file into a new folder, also while a server writes to the file: the copy has every write that was
 * acknowledged before the call, and none by half. Resolves when the copy is checked and on the disk. Rejects when the
 * folder exists, and for faults of the disk or of the copy; then the folder has no copy that counts.
 */
export async function copyStore(folder: string, into: string): Promise<void> {
  mkdirSync(into, { mode: 0o700 });
  const file = join(into, DATA_FILE);
  const source = new DatabaseSync(join(folder, DATA_FILE), { readOnly: true });
  try {
    // The transaction keeps one moment for all steps: without it each write to the file would begin the copy again.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(source, file, { rate: PAGES_PER_STEP });
  } finally {
    source.close();
  }
  assertSound(file);
  for (const path of [file, into]) syncToDisk(path);
}

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
