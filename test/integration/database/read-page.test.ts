import mongoose from 'mongoose';
import { ascendingBy } from '../../../contract/page-order.ts';
import { readRows } from '../../../mixins/database/read-page.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
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

test('a page that is full before its rows are read leaves no session and no batch of rows behind', async () => {
  const rows = Array.from({ length: 200 }, (_, at) => ({ _id: `s${at}`, next: at + 1 }));
  await SequenceModel.insertMany(rows);
  const before = openSessions();
  for (let n = 0; n < 5; n++) {
    const read = await readRows(SequenceModel, {
      filter: {},
      order: ascendingBy('next'),
      bytesOf: () => 300 * 1024,
    });
    expect(read).toHaveLength(2);
  }
  expect(openSessions()).toBe(before);
});
