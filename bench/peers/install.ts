import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = import.meta.dirname;

export const RESTATE_SERVER = join(
  FOLDER,
  `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
);
/** The lock file of the installation, which npm writes last. */
const INSTALLED_LOCK = join(FOLDER, 'node_modules/.package-lock.json');

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Installs the peers' packages into this folder, unless the same versions are installed. */
export function installPeers(): void {
  if (isInstalled()) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' });
}

/** Tells whether all packages are installed, since an interrupted installation has only some of them. */
function isInstalled(): boolean {
  if (!existsSync(INSTALLED_LOCK) || !existsSync(RESTATE_SERVER)) return false;
  return Object.entries(readManifest(FOLDER).dependencies).every(([name, version]) => {
    const folder = join(FOLDER, 'node_modules', name);
    return existsSync(join(folder, 'package.json')) && readManifest(folder).version === version;
  });
}
