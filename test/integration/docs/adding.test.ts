import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const [, ...walks] = readFileSync(join(ROOT, 'docs/adding.md'), 'utf8').split(/^## /m);

const PATH = /`([\w./-]+\.(?:ts|tsv|yml|sh))`/g;
const BLOCK = /```(ts|diff)\n(.*?)```/gs;

/** The files as a reader has them who has followed the walks up to here. */
const files = new Map<string, string>();
const contentOf = (path: string): string =>
  files.get(path) ?? readFileSync(join(ROOT, path), 'utf8');

/** The lines of a hunk with one of these marks, without it. */
const linesOf = (hunk: string, marks: string): string =>
  hunk
    .split('\n')
    .filter((line) => line && marks.includes(line.charAt(0)))
    .map((line) => `${line.slice(1)}\n`)
    .join('');

function change(path: string, hunk: string): void {
  const content = contentOf(path);
  const before = linesOf(hunk, ' -');
  expect([path, before, content.split(before).length - 1]).toEqual([path, before, 1]);
  files.set(
    path,
    content.replace(before, () => linesOf(hunk, ' +')),
  );
}

/** Follows each code block of a walk; the file that a block is for is the last one that the text names. */
function follow(walk: string): void {
  let path = '';
  let end = 0;
  for (const { 0: block, 1: kind, 2: code = '', index } of walk.matchAll(BLOCK)) {
    path = [...walk.slice(end, index).matchAll(PATH)].at(-1)?.[1] ?? path;
    end = index + block.length;
    if (kind === 'ts') files.set(path, code);
    else change(path, code);
  }
}

test.each(walks.map((walk) => [walk.split('\n', 1)[0], walk] as const))(
  'docs/adding.md: each line of "%s" finds its place in the code, and only one',
  (_, walk) => follow(walk),
);
