import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** The folders that are no part of the repository. A source archive has no git that could list the rest. */
const IGNORED = [
  '.git/',
  ...readFileSync(join(ROOT, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('/')),
];
function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (IGNORED.some((ignored) => `/${path}/`.endsWith(`/${ignored}`))) return [];
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}
const files = filesIn('');

/** The path, and each shorter end of it: documents may leave the first folders out. */
function endsOf(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(index).join('/'));
}
/** The path and the folders that it lies in. */
function withFolders(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
const known = new Set([...new Set(files.flatMap(withFolders))].flatMap(endsOf));
const topFolders = new Set(
  files.filter((file) => file.includes('/')).map((file) => file.split('/', 1)[0]),
);

/** Folders and files that a command of the documents makes. */
const MADE = new Set(['bench/peers', 'deploy/secrets', 'deploy/secrets/smtp-url']);
const PATH = /`((?:[\w.-]+\/)+[\w.-]*|[\w-]+(?:\.[\w-]+)*\.ts)`/g;
const FENCE = /```.*?```/gs;
const LINK = /\]\(([^)#:\s]+)(?:#[^)]*)?\)/g;

const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8');
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name.replace(/\/$/, ''));

/** Whether the name is a path of the repository, and not a media type or a pair of numbers. */
const isPath = (name: string): boolean =>
  name.endsWith('.ts') || topFolders.has(name.split('/', 1)[0] ?? '');

/** The files that a document has the reader write: the last path before a block of whole code. */
const newFilesOf = (text: string): (string | undefined)[] =>
  text
    .split('```ts\n')
    .slice(0, -1)
    .map((before) => namesIn(before.replaceAll(FENCE, ''), PATH).at(-1));

const documents = files.filter((file) =>
  /^(README|CHANGELOG|docs\/.*|examples\/.*)\.md$/.test(file),
);

test.each(documents)('%s names files and folders that exist', (document) => {
  const text = textOf(document);
  const written = new Set(newFilesOf(text));
  const missing = namesIn(text.replaceAll(FENCE, ''), PATH).filter(
    (name) => isPath(name) && !known.has(name) && !MADE.has(name) && !written.has(name),
  );
  expect(missing).toEqual([]);
});

test.each(documents)('%s links to files that exist', (document) => {
  const targets = namesIn(textOf(document), LINK).map((target) => join(dirname(document), target));
  expect(targets.filter((target) => !files.includes(target) && !known.has(target))).toEqual([]);
});
