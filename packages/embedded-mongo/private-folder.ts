import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OWNER_ONLY = { folder: 0o700, file: 0o600 };
/** The permission bits of the group and of others. */
const OF_OTHERS = 0o077;
/** The permission bit of a folder that all users share, such as `/tmp`. */
const STICKY = 0o1000;
/** Matches the files that the database makes: the data, its log and the index of the log, the lock. */
const OWN_FILE = /^(?:mongo\.sqlite(?:-\w+)?|lock\.sqlite(?:-\w+)?|holder)$/;
/** Error codes of a file system without permissions, of a read-only file system and of another user's file. */
const CANNOT_CHANGE = new Set(['EPERM', 'ENOTSUP', 'EROFS', 'EACCES']);

/**
 * Makes the folder if it is missing, and takes all rights of others from the folder and the database's files. From then
 * on this process makes only files that others cannot read.
 */
export function makePrivateFolder(folder: string): void {
  process.umask(OF_OTHERS);
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder });
  if (process.platform === 'win32') return; // rights are inherited from the folder above
  const isShared = (statSync(folder).mode & STICKY) !== 0; // `statSync` follows a link to the folder
  if (!isShared) tighten(folder, OWNER_ONLY.folder);
  const files = readdirSync(folder, { withFileTypes: true });
  for (const file of files) {
    if (file.isFile() && OWN_FILE.test(file.name))
      tighten(join(folder, file.name), OWNER_ONLY.file);
  }
}

function tighten(path: string, mode: number): void {
  try {
    if (lstatSync(path).mode & OF_OTHERS) chmodSync(path, mode);
  } catch (error) {
    if (!CANNOT_CHANGE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
