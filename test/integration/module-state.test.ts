import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = [
  'environment',
  'support',
  'contract',
  'models',
  'mixins',
  'middlewares',
  'services',
  'telemetry',
];

/** A variable, or a constant whose value can change: an object that is no constant by its name, a store, a find. */
const STATE =
  /^(?:export )?(?:let \w+|const [a-z]\w*(?:: [^=]+)? = (?:new (?!DiagnosticEvent|TextDecoder)\w|Buffer\.alloc|Promise\.withResolvers|(?:batchFind|batchById|batchInsert|changesOf|lruCache|pino)\b))/m;

const section = (heading: string): string =>
  readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    .split(`\n## ${heading}\n`)[1]
    ?.split('\n## ')[0] ?? '';

test('modules with state of the process are those that docs/architecture.md lists', () => {
  const found = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT })).filter(
    (file) => STATE.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  const listed = [...section('State of the process').matchAll(/(?<=^\|.*)`([\w./-]+\.ts)`/gm)].map(
    ([, file]) => file,
  );
  expect(listed.sort()).toEqual(found.sort());
});

test.each([
  'let count = 0;',
  'const known = new Map<string, number>();',
  'export const find = batchFind<Row>(RowModel);',
  'const buffer: Buffer = Buffer.alloc(4_096);',
])('%s is state', (line) => {
  expect(STATE.test(`import x from 'x';\n${line}`)).toBe(true);
});

test.each([
  'const KNOWN = new Set([1]);',
  '  let count = 0;',
  'const name = (id: number) => new Name(id);',
])('%s is none', (line) => {
  expect(STATE.test(line)).toBe(false);
});
