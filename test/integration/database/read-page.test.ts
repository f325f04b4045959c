import mongoose from 'mongoose';
import { ascendingBy } from '../../../contract/page-order.ts';
import { readRows } from '../../../mixins/database/read-page.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
import { commandsOf } from '../../helpers/captured-commands.ts';
import { startTestDatabase, type TestDatabase } from '../../helpers/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase([SequenceModel]);
});
afterAll(() => database.end());

/** The sessions that the driver keeps, each with the last batch of its cursor. */
const openSessions = (): number => {
  const client = mongoose.connection.getClient() as unknown as {
    s: { activeSessions: Set<object> };
  };
  return client.s.activeSessions.size;
};

/** Reads a page whose rows have so many bytes each. */
const readRowsOf = (bytes: number, limit = 1_000) =>
  readRows(SequenceModel, {
    filter: {},
    order: ascendingBy('next'),
    position: { limit },
    bytesOf: () => bytes,
  });

const ROWS = 1_100;
/** Rows of the first reply of the database. */
const FIRST_ROWS = 50;
beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, at) => ({ _id: `s${at}`, next: at + 1 }));
  await SequenceModel.insertMany(rows);
});

test.each([
  ['small rows, and one row more', 10, 1_000, 1_001],
  ['large rows', 300 * 1024, 1_000, 2],
  ['rows of which a hundred fill a page', 5_250, 1_000, 100],
  ['as many rows as one reply of the database may have', 10, 49, 50],
  ['fewer rows', 10, 7, 8],
])(
  'a page of %s is read in their order by three commands at most',
  async (_, bytes, limit, count) => {
    let read: { next: number }[] = [];
    const commands = await commandsOf(async () => {
      read = await readRowsOf(bytes, limit);
    });
    expect(read.map(({ next }) => next)).toEqual(Array.from({ length: count }, (_, at) => at + 1));
    expect(commands.filter((name) => name !== 'killCursors').length).toBeLessThanOrEqual(3);
  },
);

test('a page of rows whose size does not count is read by one command', async () => {
  const query = { filter: {}, order: ascendingBy('next'), position: { limit: 1_000 } };
  const commands = await commandsOf(() => readRows(SequenceModel, query));
  expect(commands).toEqual(['find']);
});

test.each([
  ['smaller rows behind large ones', 10_000, 10, 21],
  ['larger rows behind small ones', 10, 17 * 1024, 3],
])('a page of %s takes no more commands than replies of %i rows', async (_, first, later, most) => {
  let at = 0;
  let rows = 0;
  const read = jest.spyOn(SequenceModel.collection, 'find');
  const commands = await commandsOf(async () => {
    const found = await readRows(SequenceModel, {
      filter: {},
      order: ascendingBy('next'),
      position: { limit: 1_000 },
      bytesOf: () => (at++ < FIRST_ROWS ? first : later),
    });
    rows = found.length;
  });
  const asked = read.mock.calls.map(([, options]) => options?.limit ?? 0);
  read.mockRestore();
  expect(commands.length).toBeLessThanOrEqual(most);
  expect(Math.max(...asked)).toBeLessThanOrEqual(4 * Math.max(rows, FIRST_ROWS));
});

test('a page that is full before its rows are read leaves no session and no batch of rows behind', async () => {
  const before = openSessions();
  for (let n = 0; n < 5; n++) {
    let at = 0;
    const read = await readRows(SequenceModel, {
      filter: {},
      order: ascendingBy('next'),
      position: { limit: 1_000 },
      bytesOf: () => (at++ < FIRST_ROWS ? 10 : 300 * 1024),
    });
    expect(read).toHaveLength(FIRST_ROWS + 2);
  }
  expect(openSessions()).toBe(before);
});
