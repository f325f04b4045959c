import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Reads the file of a development key. The first process makes the file with the text of `make`; nobody but its owner
 * can read it.
 */
export function readKeptFile(file: string, make: () => string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = readIfThere(file) ?? makeOnce(file, make());
  keepForOwner(file);
  return text;
}

/** Sets the permissions of the folder and the file to the owner alone. A restored copy may be readable by others. */
function keepForOwner(file: string): void {
  if (process.platform === 'win32') return;
  try {
    chmodSync(dirname(file), 0o700);
    chmodSync(file, 0o600);
  } catch (error) {
    // The file of another user, or a file system without permissions.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes(code)) throw error;
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes the file by a link of a complete draft. Of concurrent processes the first makes the file, the others read it. */
function makeOnce(file: string, text: string): string {
  const draft = join(dirname(file), `${randomUUID()}.draft`);
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8');
}
