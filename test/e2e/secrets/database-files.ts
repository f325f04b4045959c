import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that the database of a server has on its disk, its write-ahead log included. */
export function databaseFiles(dataDir: string): string {
  const folder = join(dataDir, 'db');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n');
}
