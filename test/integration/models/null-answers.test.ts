import mongoose from 'mongoose';
import { readInBatches } from '../../../mixins/database/row-cursor.ts';
import { defineModel, field } from '../../../models/define-model.ts';
import { useDatabase } from '../../helpers/database.ts';

const BoxModel = defineModel({
  name: 'Box',
  collection: 'boxes',
  fields: {
    _id: field.number,
    shelf: field.number,
    open: field.flag,
    label: field.optional(field.string),
    owner: field.nullable(field.string),
    lock: field.optional(
      field.object({
        code: field.number,
        hint: field.optional(field.string),
        maker: field.optional(field.object({ name: field.string })),
      }),
    ),
    place: field.object({ row: field.optional(field.number), side: field.string }),
  },
  indexes: [
    [
      {
        shelf: 1,
        open: 1,
        label: 1,
        owner: 1,
        'lock.code': 1,
        'lock.hint': 1,
        'lock.maker.name': 1,
        'place.row': 1,
        'place.side': 1,
        _id: 1,
      },
    ],
  ],
  lifecycle: { workspace: { keep: 'a test' }, person: { keep: 'a test' } },
});
useDatabase([BoxModel]);

const FIELDS = {
  open: 1,
  label: 1,
  owner: 1,
  'lock.code': 1,
  'lock.hint': 1,
  'lock.maker.name': 1,
  'place.row': 1,
  'place.side': 1,
} as const;

const BARE = { _id: 1, owner: null, place: { side: 'left' } };
const FULL = {
  _id: 2,
  open: true,
  label: 'a',
  owner: 'ada',
  lock: { code: 7 },
  place: { row: 3, side: 'right' },
};
beforeAll(() => BoxModel.insertMany([BARE, FULL].map((box) => ({ ...box, shelf: 1 }))));

const { collection } = BoxModel;
const onShelf = { shelf: 1 };
const sort = { open: 1 } as const; // the order of the index, which so answers on every database

async function readAll(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

test('the database answers null for fields that a document lacks', async () => {
  const { db } = mongoose.connection;
  const found = await db?.collection('boxes').findOne(onShelf, { projection: FIELDS, sort });
  expect(found).toEqual({
    _id: 1,
    open: null,
    label: null,
    owner: null,
    lock: { code: null, hint: null, maker: { name: null } },
    place: { row: null, side: 'left' },
  });
});

test.each<[string, () => Promise<unknown>]>([
  ['find', () => BoxModel.find(onShelf, FIELDS).sort(sort).lean()],
  ['find of the driver', () => collection.find(onShelf, { projection: FIELDS, sort }).toArray()],
  ['a cursor', () => readAll(readInBatches(BoxModel.find(onShelf, FIELDS).sort(sort).lean(), 1))],
])('%s answers them as missing', async (_, read) => {
  expect(await read()).toEqual([BARE, FULL]);
});

test.each<[string, () => Promise<unknown>]>([
  ['findOne', () => BoxModel.findOne(onShelf, FIELDS).sort(sort).lean()],
  ['findOne of the driver', () => collection.findOne(onShelf, { projection: FIELDS, sort })],
])('%s answers them as missing', async (_, read) => {
  expect(await read()).toEqual(BARE);
});
