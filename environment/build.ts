import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from './environment.ts';
import { readGitCommit } from './git-commit.ts';

const ROOT = join(import.meta.dirname, '..');

/** What runs in this process. */
export interface Build {
  /** The version of `package.json`. */
  readonly version: string;
  /** The commit, hexadecimal: `BUILD_COMMIT`, else what git has checked out; `unknown` without either. */
  readonly commit: string;
}

/** The build of this process, read once: an update of the files does not change what runs. */
export const build: Build = {
  version: readVersion(),
  commit: environment.BUILD_COMMIT ?? readGitCommit(ROOT) ?? 'unknown',
};

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

/** The version and the commit as one text for people: `1.0.0 (1a2b3c4)`. */
export const buildText = ({ version, commit }: Build): string =>
  `${version} (${commit === 'unknown' ? 'commit unknown' : commit.slice(0, 12)})`;
