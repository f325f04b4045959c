import { execFile } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backupName, backupTime } from '../../mixins/backups/backup-folder.ts';
import { dataFolder } from './server.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The times of the whole backups in a folder, the newest first. */
export function backupsIn(folder: string): Date[] {
  const times = readdirSync(folder).map(backupTime);
  return times.filter((time) => time !== null).toSorted((a, b) => +b - +a);
}

/** Copies a backup into a new `DATA_DIR`, as an operator restores it. */
export function restore(folder: string, time: Date): string {
  const dataDir = dataFolder();
  cpSync(join(folder, backupName(time)), dataDir, { recursive: true });
  return dataDir;
}

/** What `npm run embedded-mongo -- check` prints of the database in a `DATA_DIR` that no process uses. */
export async function checkDatabase(dataDir: string): Promise<string> {
  const cli = join(ROOT, 'packages/embedded-mongo/cli.ts');
  return (await promisify(execFile)(process.execPath, [cli, 'check', join(dataDir, 'db')])).stdout;
}
