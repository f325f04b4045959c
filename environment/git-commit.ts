import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A commit of git: the hexadecimal id of SHA-1 (40 digits) or SHA-256 (64). */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** The name of a branch or another reference, without any way out of its folder. */
const REFERENCE = /^ref: (refs\/(?!.*\.\.)\S+)$/;

/**
 * Returns the commit that is checked out in this folder, read from the files of git
 * (https://git-scm.com/docs/gitrepository-layout), worktrees included. Undefined in a folder without git, before the
 * first commit, and where git stores references in another format than files.
 */
export function readGitCommit(folder: string): string | undefined {
  const gitDir = gitDirOf(join(folder, '.git'));
  const head = textOf(join(gitDir, 'HEAD'));
  const reference = REFERENCE.exec(head)?.[1];
  const id = reference ? resolveReference(gitDir, reference) : head;
  return COMMIT.test(id) ? id : undefined;
}

/** The folder with the files of git. The `.git` of a worktree or a submodule is a file that names the folder. */
function gitDirOf(path: string): string {
  const named = /^gitdir: (.+)$/.exec(textOf(path))?.[1];
  return named ? resolve(path, '..', named) : path;
}

/** The id that a reference has, or an empty text. A worktree shares its references with the first checkout. */
function resolveReference(gitDir: string, reference: string): string {
  const commonDir = resolve(gitDir, textOf(join(gitDir, 'commondir')) || '.');
  return textOf(join(commonDir, reference)) || packedId(commonDir, reference);
}

/** The id of a reference in `packed-refs`, whose lines are `<id> <reference>`. */
function packedId(commonDir: string, reference: string): string {
  const lines = textOf(join(commonDir, 'packed-refs')).split('\n');
  const line = lines.find((one) => one.endsWith(` ${reference}`));
  return line?.split(' ')[0] ?? '';
}

/** The trimmed text of a file, empty for a file that cannot be read: the commit is then unknown. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
