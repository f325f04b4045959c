import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** The least version of glibc with which the engine can be loaded. */
const NEEDED = [2, 38];
/** The Debian release whose libraries are taken where those of the system are older. */
const RELEASE = 'trixie';
/** The packages with the libraries that Node.js and the engine load. */
const PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6'];
/** The folder of the libraries. Runs share it; it appears only when it is complete. */
const FOLDER = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  `workspace-automation-service/libc-${RELEASE}`,
);

/** How to start Node.js so that it loads a new enough glibc. */
export interface Launch {
  execPath: string;
  execArgv: string[];
}

/** Returns the launch with the libraries that `fetchNewerLibc` fetched, or without any where the system's are new enough. */
export function launchWithNewerLibc(): Launch {
  if (isSystemLibcNewEnough()) return { execPath: process.execPath, execArgv: [] };
  const [loader] = globSync(join(FOLDER, 'usr/lib/*/ld-linux-*.so.*'));
  if (loader === undefined) {
    throw new Error('the libraries of the engine are not there: npm run test:mongodb fetches them');
  }
  return {
    execPath: loader,
    execArgv: ['--library-path', dirname(loader), process.execPath],
  };
}

/**
 * Fetches the libraries unless they are there, or the system's own are new enough. Throws an `Error` for people when
 * a program is missing or Debian cannot be reached.
 */
export function fetchNewerLibc(): void {
  if (isSystemLibcNewEnough() || globSync(FOLDER).length > 0) return;
  mkdirSync(dirname(FOLDER), { recursive: true });
  const folder = mkdtempSync(`${FOLDER}-`);
  try {
    const archive = join(folder, 'archive');
    const include = `--include=${PACKAGES.join()}`;
    const options = ['--download-only', '--force-check-gpg', '--variant=minbase', include];
    run('debootstrap', [...options, RELEASE, archive, ...mirrorOfApt()]);
    const root = join(folder, 'root');
    for (const name of PACKAGES) {
      const [file = name] = globSync(join(archive, `var/cache/apt/archives/${name}_*.deb`));
      run('dpkg-deb', ['--extract', file, root]);
    }
    renameSync(root, FOLDER);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const Report = z.looseObject({
  header: z.looseObject({ glibcVersionRuntime: z.string().optional() }),
});

function isSystemLibcNewEnough(): boolean {
  const { glibcVersionRuntime = '0.0' } = Report.parse(process.report.getReport()).header;
  const [major = 0, minor = 0] = glibcVersionRuntime.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED;
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/** The address from which apt takes Debian. debootstrap has an address of its own where apt has read no lists yet. */
function mirrorOfApt(): string[] {
  const filters = ['Created-By: Packages', 'Origin: Debian', 'Label: Debian', 'Component: main'];
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filters], {
    encoding: 'utf8',
  });
  return (stdout ?? '').split('\n').filter(Boolean).slice(0, 1);
}

function run(program: string, args: readonly string[]): void {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error && 'code' in error && error.code === 'ENOENT') {
    throw new Error(`${program} is missing; on Debian: apt-get install ${PACKAGE_OF[program]}`);
  }
  if (error) throw error;
  if (status === 0) return;
  const said = `${stdout}${stderr}`.trim().split('\n').at(-1);
  throw new Error(`${program} cannot fetch the libraries of Debian ${RELEASE}: ${said}`);
}

/** The Debian package of a program. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  debootstrap: 'debootstrap',
  'dpkg-deb': 'dpkg',
};
