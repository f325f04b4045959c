import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import mongoose, { type Schema } from 'mongoose';
import { defineModel, field } from '../../../models/define-model.ts';

const MODELS = join(import.meta.dirname, '../../../models');
beforeAll(async () => {
  for (const file of readdirSync(MODELS)) {
    if (file.endsWith('.model.ts')) await import(join(MODELS, file));
  }
});

const BoxModel = defineModel({
  name: 'Box',
  collection: 'boxes',
  fields: {
    _id: field.number,
    label: field.nullable(field.string),
    parts: field.list(field.object({ id: field.string })),
    tags: field.optional(field.list(field.string)),
    open: field.flag,
  },
  indexes: [
    [{ label: 1 }, { unique: true }],
    [{ open: 1 }, { sparse: true }],
  ],
  lifecycle: { workspace: { keep: 'a test' }, person: { keep: 'a test' } },
});

test.each([
  { $set: { colour: 'red' } },
  { $push: { parts: { id: 'a', colour: 'red' } } },
  { $unset: { colour: 1 } },
])('the update %j names a field that the model lacks and is refused', async (update) => {
  const refusal = /not in schema|StrictModeError/;
  await expect(BoxModel.updateOne({ _id: 1 }, update as never)).rejects.toThrow(refusal);
  const bulk = BoxModel.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: update as never } }]);
  await expect(bulk).rejects.toThrow(refusal);
});

test('a new document with a field that the model lacks is refused', async () => {
  expect(() => new BoxModel({ _id: 1, colour: 'red' } as never)).toThrow(
    mongoose.Error.StrictModeError,
  );
  await expect(BoxModel.insertMany([{ _id: 1, colour: 'red' }] as never)).rejects.toThrow(
    mongoose.Error.StrictModeError,
  );
});

test('what is not given is null, empty or absent, as the field says', () => {
  expect(new BoxModel({ _id: 1 }).toObject()).toEqual({ _id: 1, label: null, parts: [] });
});

test('every schema refuses what it lacks, those of objects within documents as well', () => {
  const schemas = Object.values(mongoose.models).flatMap(({ schema }) => withInner(schema));
  expect(schemas.length).toBeGreaterThan(20);
  for (const schema of schemas) expect(schema.get('strict')).toBe('throw');
});

const withInner = (schema: Schema): Schema[] => [
  schema,
  ...schema.childSchemas.flatMap((inner) => withInner(inner.schema)),
];
