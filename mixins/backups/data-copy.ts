import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copyEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { syncToDisk } from './backup-folder.ts';

/** The folder of the embedded database in `DATA_DIR`. */
export const DATABASE_FOLDER = 'db';
/** The folder of the development keys in `DATA_DIR`. Without the master keys no secret in the database can be opened. */
const KEYS_FOLDER = 'keys';

/**
 * Copies a `DATA_DIR` into an empty folder: the database at one moment, then the keys, so that each key that the copy of
 * the database needs is there. Keys of the environment are not copied.
 */
export async function copyData(dataDir: string, into: string, signal: AbortSignal): Promise<void> {
  const database = { folder: join(dataDir, DATABASE_FOLDER), into: join(into, DATABASE_FOLDER) };
  await copyEmbeddedMongo({ ...database, signal });
  await copyKeys(join(dataDir, KEYS_FOLDER), join(into, KEYS_FOLDER));
}

async function copyKeys(from: string, to: string): Promise<void> {
  const names = (await entriesOf(from)).filter((name) => !name.endsWith('.draft'));
  if (!names.length) return;
  await mkdir(to, { mode: 0o700 });
  for (const name of names) {
    await copyFile(join(from, name), join(to, name)); // with the rights of the file
    await syncToDisk(join(to, name));
  }
  await syncToDisk(to);
}

/** The names in a folder; none where the folder is missing, because all keys come from the environment. */
async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
