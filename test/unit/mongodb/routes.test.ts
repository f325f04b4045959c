import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import mongoose, { type Schema } from 'mongoose';
import { routeOf, scatteringQueryOf } from '../../mongodb/plans/routes.ts';
import { SCATTERING_QUERIES } from '../../mongodb/plans/scattering-queries.ts';
import type { Fields } from '../../mongodb/plans/shapes.ts';
import { shardKeyOf } from '../../mongodb/plans/shard-keys.ts';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/scale.md'), 'utf8');

const schemas = new Map<string, Schema>();
beforeAll(async () => {
  for (const file of readdirSync(join(ROOT, 'models'))) {
    if (file.endsWith('.model.ts')) await import(join(ROOT, 'models', file));
  }
  for (const { collection, schema } of Object.values(mongoose.models))
    schemas.set(collection.name, schema);
});

test.each<[string, string | undefined, string, Fields]>([
  ['a workspace', undefined, 'find', { filter: { live: true, workspaceId: 1 } }],
  ['some workspaces', undefined, 'find', { filter: { workspaceId: { $in: [1] } } }],
  ['a workspace in one clause', undefined, 'find', { filter: { $and: [{ workspaceId: 1 }] } }],
  [
    'workspaces from one on',
    'find runs workspaceId',
    'find',
    { filter: { workspaceId: { $gt: 1 } } },
  ],
  [
    'a workspace in one alternative',
    'find runs flowId,workspaceId',
    'find',
    { filter: { $or: [{ workspaceId: 1 }, { flowId: 2 }] } },
  ],
  ['an id', 'update runs _id', 'update', { updates: [{ q: { _id: 1, fence: 2 } }] }],
  ['an owner', 'delete runs worker', 'delete', { deletes: [{ q: { worker: 'a' } }] }],
  ['a match', 'aggregate runs live', 'aggregate', { pipeline: [{ $match: { live: true } }] }],
])('a query by %s', (_by, query, command, statement) => {
  expect(scatteringQueryOf(routeOf(command, { [command]: 'runs', ...statement }))).toBe(query);
});

test('every collection is placed by a field that its documents have, or stays on one shard', () => {
  for (const [name, schema] of schemas)
    expect(schema.path(shardKeyOf(name) ?? '_id')).toBeDefined();
  for (const query of Object.values(SCATTERING_QUERIES).flat())
    expect(schemas.has(query.split(' ')[1] ?? '')).toBe(true);
});

test('docs/scale.md has the key of each collection', () => {
  const byKey = Map.groupBy([...schemas.keys()].sort(), (name) => shardKeyOf(name) ?? 'one shard');
  expect(rowsOf('Collections by key')).toEqual(
    [...byKey].sort().map(([key, names]) => [codeOf(key), names.map(codeOf).join(', ')]),
  );
});

test('docs/scale.md has the number of the queries without the key, by reason', () => {
  expect(rowsOf('Queries without the key')).toEqual(
    Object.entries(SCATTERING_QUERIES).map(([reason, { length }]) => [reason, String(length)]),
  );
});

test('docs/scale.md has the unique indexes that a shard cannot hold for all', () => {
  const rows = [...schemas].flatMap(([name, schema]) =>
    schema.indexes().flatMap(([fields, { unique }]) => {
      const key = shardKeyOf(name);
      const paths = Object.keys(fields);
      const isKept = !unique || key === undefined || paths[0] === key;
      return isKept ? [] : [[codeOf(name), paths.map(codeOf).join(', ')]];
    }),
  );
  expect(rowsOf('Unique indexes without the key')).toEqual(rows.sort());
});

const codeOf = (text: string): string => (text === 'one shard' ? text : `\`${text}\``);

/** The rows of the table below a heading of the page, the first two columns of each. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = page.split(`### ${heading}\n`);
  const [table = ''] = section.split(/^##/m);
  const rows = [...table.matchAll(/^\| (.+?) \| (.+?) \|/gm)].map(([, a = '', b = '']) => [a, b]);
  return rows.slice(1);
}
