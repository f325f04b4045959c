import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGitCommit } from '../../environment/git-commit.ts';

const folder = mkdtempSync(join(tmpdir(), 'git-commit-'));
const checkout = join(folder, 'checkout');
afterAll(() => rmSync(folder, { recursive: true }));

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd: checkout,
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
    .toString()
    .trim();
const commit = (): string => {
  git('commit', '-q', '--allow-empty', '-m', 'a change');
  return git('rev-parse', 'HEAD');
};

test('the commit is the one that git has checked out, however it is stored', () => {
  mkdirSync(checkout);
  expect(readGitCommit(checkout)).toBeUndefined(); // no git
  git('init', '-q', '-b', 'feature/one');
  expect(readGitCommit(checkout)).toBeUndefined(); // no commit
  const first = commit();
  expect(readGitCommit(checkout)).toBe(first);
  git('pack-refs', '--all');
  expect(readGitCommit(checkout)).toBe(first);
  const second = commit(); // a file beside the packed one
  expect(second).not.toBe(first);
  expect(readGitCommit(checkout)).toBe(second);
  git('checkout', '-q', '--detach', first);
  expect(readGitCommit(checkout)).toBe(first);
});

test('a worktree has its own commit, and the branches of the first checkout', () => {
  const worktree = join(folder, 'worktree');
  git('worktree', 'add', '-q', '-b', 'other', worktree, 'feature/one');
  const newest = git('rev-parse', 'feature/one');
  expect(readGitCommit(worktree)).toBe(newest);
  git('pack-refs', '--all');
  expect(readGitCommit(worktree)).toBe(newest);
  expect(readGitCommit(checkout)).not.toBe(newest);
});

test.each([
  ['a reference out of its folder', 'ref: refs/../../../secret'],
  ['a reference to nothing', 'ref: refs/heads/.invalid'],
  ['no id', 'deadbeef'],
])('a head that is %s has no commit', (_, head) => {
  const odd = mkdtempSync(join(folder, 'odd-'));
  mkdirSync(join(odd, '.git'));
  writeFileSync(join(odd, '.git/HEAD'), `${head}\n`);
  writeFileSync(join(odd, 'secret'), 'a'.repeat(40));
  expect(readGitCommit(odd)).toBeUndefined();
});
