import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '../../../environment/process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const textOf = (pattern: string): string =>
  globSync(pattern, { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');

const codeOf = (name: string): string => textOf(`services/${name}/**/*.ts`);
const schemaOf = (name: string): string => textOf(`services/${name}/${name}.service.ts`);

/** The names that a pattern finds, each once, in their order. */
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();
/** The names that are given to a mixin. */
const givenTo = (mixin: string, text: string): string[] =>
  namesIn(new RegExp(`\\b${mixin}\\(([^()]*)\\)`).exec(text)?.[1] ?? '', /(\w+)/g);

/** The models that a service's schema makes the collections of. */
const modelsOf = (text: string): string[] => {
  const given = /\b(?:Database\(|erasuresOf\([^[;]*\[|const MODELS = \[)([\w\s,]+)[\])]/.exec(text);
  return namesIn(given?.[1] ?? '', /(\w+)/g);
};

test.each(SERVICE_NAMES)('%s carries on what follows the changes of each of its stores', (name) => {
  const stores = namesIn(codeOf(name), /const (\w+) = (?:changesOf|outboxesOf)\(/g);
  expect(givenTo('Changes', schemaOf(name))).toEqual(stores);
});

test.each(SERVICE_NAMES)('%s makes the collection of each of its models', (name) => {
  const models = namesIn(
    codeOf(name),
    /\b(\w+Model)\b[^;]*?from '[./]*models\/[\w-]+\.model\.ts'/g,
  );
  expect(modelsOf(schemaOf(name))).toEqual(models);
});
