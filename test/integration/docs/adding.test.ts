import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

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

/** The code of all services, and what it imports. */
const CODE = [
  'package.json',
  'contract',
  'deploy',
  'environment',
  'middlewares',
  'mixins',
  'models',
  'packages',
  'services',
  'support',
  'telemetry',
];
const PACKAGES = '@workspace-automation';

/** Makes every service, which checks its contract. */
const MAKE_SERVICES = `
  import { ServiceBroker } from 'moleculer';
  import { SERVICE_NAMES } from './environment/process.ts';
  import { createServices } from './services/services.ts';
  const broker = new ServiceBroker({ logger: false, validator: false });
  createServices(broker, SERVICE_NAMES);
  process.stdout.write(broker.services.map(({ name }) => name).join(' '));
  process.exit(); // some services keep timers from their creation on
`;

/** Copies the code as a reader has it who has followed all walks. Libraries are those of this copy. */
function copyTo(folder: string): void {
  for (const name of CODE) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'node_modules', PACKAGES), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name === PACKAGES) continue;
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', PACKAGES, name));
  }
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

test('docs/adding.md: the services of a reader who has followed all walks are made', () => {
  const folder = mkdtempSync(join(tmpdir(), 'walks-'));
  try {
    copyTo(folder);
    const args = ['--input-type=module', '--eval', MAKE_SERVICES];
    const made = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(made.split(' ')).toContain('labels');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
