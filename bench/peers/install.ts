import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = import.meta.dirname;

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Installs the peers' packages into this folder, unless those versions are there. */
export function installPeers(): void {
  if (isInstalled()) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' });
}

function isInstalled(): boolean {
  return Object.entries(readManifest(FOLDER).dependencies).every(([name, version]) => {
    const folder = join(FOLDER, 'node_modules', name);
    return existsSync(folder) && readManifest(folder).version === version;
  });
}
