import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import {
  type Collection,
  connectDatabase,
  disconnectDatabase,
  makeCollection,
} from '../../mixins/database/database.ts';
import { startMongo } from '../mongodb/start-mongo.ts';

/** What the helpers need of a model. */
type Model = Collection & { readonly collection: { deleteMany(): Promise<unknown> } };

/** A database to which this process is connected. */
export interface TestDatabase {
  readonly mongo: EmbeddedMongo;
  /** Ends the connection and the database, and removes the data. */
  end(): Promise<void>;
}

/** Starts a database with the collections of the models. The process connects to `addressOf` the database. */
export async function startTestDatabase(
  models: readonly Model[] = [],
  addressOf: (uri: string) => string | Promise<string> = (uri) => uri,
): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'database-'));
  const mongo = await startMongo({ folder, dbName: 'test' });
  await connectDatabase(await addressOf(mongo.uri));
  for (const model of models) await makeCollection(model);
  return {
    mongo,
    async end() {
      await disconnectDatabase();
      await mongo.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Gives the tests of a file, or of a `describe`, one database with the collections of the models. */
export function useDatabase(models: readonly Model[] = []): { readonly mongo: EmbeddedMongo } {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await startTestDatabase(models);
  });
  afterAll(() => database?.end());
  return {
    get mongo() {
      if (!database) throw new Error('the database starts in beforeAll');
      return database.mongo;
    },
  };
}

/** Gives the tests of a file a database like `useDatabase`, whose collections are empty at the beginning of each test. */
export function useEmptyDatabase(models: readonly Model[]): ReturnType<typeof useDatabase> {
  const database = useDatabase(models);
  beforeEach(() => Promise.all(models.map(({ collection }) => collection.deleteMany())));
  return database;
}
