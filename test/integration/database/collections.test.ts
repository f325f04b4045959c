import { ServiceBroker } from 'moleculer';
import { mongo } from 'mongoose';
import { Collections, databasePrepared } from '../../../mixins/database/database.ts';
import { useDatabase } from '../../helpers/database.ts';

const answered = (code: number, message: string) =>
  new mongo.MongoServerError({ message, code, ok: 0 });

/** A collection that is refused so often, one error after the other. */
function collection(...errors: Error[]) {
  const left = [...errors];
  return {
    modelName: 'Thing',
    tries: 0,
    schema: { indexes: () => [] },
    collection: {},
    async createCollection() {
      this.tries++;
      const error = left.shift();
      if (error) throw error;
    },
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
    expect(things.tries).toBe(3);
  });

  it('end the start, with their name, when they cannot be made', async () => {
    const things = collection(answered(85, 'Index already exists with other options'));
    await expect(start(things)).rejects.toThrow(
      'The collection of Thing cannot be made: Index already exists with other options',
    );
    await expect(databasePrepared()).rejects.toThrow(/^The collection of Thing /);
    expect(things.tries).toBe(1);
  });
});
