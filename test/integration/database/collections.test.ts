import { ServiceBroker } from 'moleculer';
import { mongo } from 'mongoose';
import { Collections, databasePrepared } from '../../../mixins/database/database.ts';
import { useDatabase } from '../../helpers/database.ts';

const answered = (code: number, message: string) =>
  new mongo.MongoServerError({ message, code, ok: 0 });

/** A collection that is refused so often, one error after the other. */
function collection(...errors: Error[]) {
  const left = [...errors];
  const createIndexes = jest.fn(async () => {
    const error = left.shift();
    if (error) throw error;
  });
  return {
    modelName: 'Thing',
    schema: { indexes: (): [Record<string, unknown>, object][] => [[{ at: 1 }, { unique: true }]] },
    collection: { createIndexes },
    async createCollection() {},
    createIndexes,
  };
}

useDatabase();

async function start(things: ReturnType<typeof collection>): Promise<void> {
  const broker = new ServiceBroker({ logger: false });
  broker.createService({ name: 'things', mixins: [Collections(things)] });
  await broker.start();
}

/** In this order: a preparation that has failed stays so. */
describe('the collections of a service', () => {
  it('are tried again while an election or the lack of a right stands in the way', async () => {
    const things = collection(answered(10107, 'not primary'), answered(13, 'not authorized'));
    await start(things);
    await databasePrepared();
    expect(things.createIndexes.mock.calls).toEqual(
      Array(3).fill([[{ key: { at: 1 }, unique: true }]]),
    );
  });

  it('end the start, with their name, when they cannot be made', async () => {
    const things = collection(answered(85, 'Index already exists with other options'));
    await expect(start(things)).rejects.toThrow(
      'The collection of Thing cannot be made: Index already exists with other options',
    );
    await expect(databasePrepared()).rejects.toThrow(/^The collection of Thing /);
    expect(things.createIndexes).toHaveBeenCalledTimes(1);
  });
});
