import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Folders by level: a file imports from its own level and from those before it. */
const LEVELS = [
  ['packages'],
  ['environment'],
  ['support'],
  ['contract'],
  ['models'],
  ['mixins', 'middlewares'],
  ['services'],
  ['console', 'telemetry'],
];
const levelOf = (path: string): number =>
  LEVELS.findIndex((folders) => folders.includes(path.split('/')[0] ?? ''));

const imports = LEVELS.flat()
  .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT }))
  .filter((file) => !file.includes('node_modules'))
  .flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(
      ([, target = '']) => ({ file, target: normalize(join(dirname(file), target)) }),
    ),
  );

test('imports go one way', () => {
  expect(imports.length).toBeGreaterThan(1_000);
  const wrong = imports.filter(
    ({ file, target }) => levelOf(target) > levelOf(file) || target === 'server.ts',
  );
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});
