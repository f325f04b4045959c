import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const PACKAGE = join(import.meta.dirname, '..');

/** An import or an export from another file of the package, with its names. */
const IMPORT = /^(?:import|export)\b([^;'"]*?)(?:\bfrom )?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

const EXPORT = /^export (?:async )?(?:function|class|const|interface|type) (\w+)/gm;

const sourceOf = (file: string): string => readFileSync(join(PACKAGE, file), 'utf8');

const importsOf = (file: string): string[] =>
  [...sourceOf(file).matchAll(IMPORT)].map(([, , path, dynamic]) =>
    normalize(join(dirname(file), path ?? dynamic ?? '')),
  );

const FILES = globSync('**/*.ts', { cwd: PACKAGE, exclude: ['node_modules'] });
const GRAPH = new Map(FILES.map((file) => [file, importsOf(file)]));

/** Finds one circle of each group of files that import one another, types included. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) circles.push([...path.slice(start), file].join(' → '));
    if (start >= 0 || finished.has(file)) return;
    for (const imported of graph.get(file) ?? []) visit(imported, [...path, file]);
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

/** The folders of each row of the README's table. A row is a layer, which imports only from itself and the rows above. */
const LAYERS = [
  ...(sourceOf('README.md').split('| folder ')[1] ?? '').matchAll(/^\| (`.*?) \|/gm),
].map(([, row = '']) => [...row.matchAll(/`(\w+)\/`/g)].map(([, folder]) => folder));
/** Filters have expressions, and expressions have regular expressions and sorts: `query/` counts as `aggregation/`. */
const layerOf = (file: string): number => {
  const folder = file.split('/')[0] ?? '';
  return LAYERS.findIndex((row) => row.includes(folder === 'query' ? 'aggregation' : folder));
};

test('the imports of a file are found', () => {
  expect(GRAPH.get('server/engine.ts')).toContain('commands/registry.ts');
});

test('no files import one another in a circle', () => {
  expect(findCircles(GRAPH)).toEqual([]);
});

test.each([
  [
    [
      ['a', ['b']],
      ['b', ['a']],
    ],
    ['a → b → a'],
  ],
  [
    [
      ['a', ['b', 'c']],
      ['b', ['c']],
      ['c', []],
    ],
    [],
  ],
] as [[string, string[]][], string[]][])('a circle is found: %j', (graph, circles) => {
  expect(findCircles(new Map(graph))).toEqual(circles);
});

test('the folders import downwards', () => {
  const upwards = [...GRAPH].flatMap(([file, imports]) =>
    imports
      .filter((imported) => layerOf(file) >= 0 && layerOf(imported) > layerOf(file))
      .map((imported) => `${file} → ${imported}`),
  );
  expect(upwards).toEqual([]);
});

test('the README has a row for each folder', () => {
  const folders = FILES.filter((file) => file.includes('/')).map((file) => file.split('/')[0]);
  expect(LAYERS.flat().sort()).toEqual([...new Set(folders)].sort());
});

test('every export outside index.ts is imported by a file of the package', () => {
  const imported = new Set(
    FILES.flatMap((file) => [...sourceOf(file).matchAll(IMPORT)]).flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    ),
  );
  const exported = FILES.filter((file) => file !== 'index.ts').flatMap((file) =>
    [...sourceOf(file).matchAll(EXPORT)].map(([, name = '']) => ({ file, name })),
  );
  expect(exported.filter(({ name }) => !imported.has(name))).toEqual([]);
});
