import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OWNER_ONLY = { folder: 0o700, file: 0o600 };
/** Permissions of the group and of others, and the bit of a folder that everybody may write to. */
const OF_OTHERS = 0o077;
const STICKY = 0o1000;
/** What the database itself makes: the data, its log and index of that log, the lock. */
const OWN_FILE = /^(?:mongo\.sqlite(?:-\w+)?|lock\.sqlite(?:-\w+)?|holder)$/;
/** The file system has no permissions, is read-only, or the file belongs to somebody else. */
const CANNOT_CHANGE = new Set(['EPERM', 'ENOTSUP', 'EROFS', 'EACCES']);

/**
 * Makes the folder if it isn't there, and keeps it and the database's files in it for their owner, however
 * they were before. From then on this process makes no file that others may read.
 */
export function makePrivateFolder(folder: string): void {
  process.umask(OF_OTHERS);
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder });
  if (process.platform === 'win32') return; // rights are inherited from the folder above
  const isShared = (statSync(folder).mode & STICKY) !== 0; // of the folder, where it is a link
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
