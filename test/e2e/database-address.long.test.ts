import mongoose from 'mongoose';
import { type ProblemBody, request } from '../helpers/http.ts';
import { startProcess, withoutLog } from '../helpers/process.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { startDatabase } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

afterAll(stopServers);

describe('MONGODB_URI', () => {
  it.each([
    'mongodb://ada:hunter2@x@h/db',
    'mongodb://ada:hun/ter2@h/db',
    'mongodb://ada:%zz@h/db',
    'mongodb://ada:hunter2@h1,h2/db?replicaSet=',
    'mongodb://ada:hunter2@h/db?maxPoolSize=many',
  ])('that the driver cannot read ends the start with one line: %s', async (uri) => {
    const part = startProcess({ DATA_DIR: dataFolder(), MONGODB_URI: uri });
    expect(await part.exited).toBe(1);
    expect(withoutLog(part.output())).toMatch(
      /^MONGODB_URI: the value given is not possible: [^\n]+\.\n$/,
    );
    expect(part.output()).not.toMatch(/ada|hunter2|hun|ter2|zz/);
  });
});

describe('a MongoDB that refuses the login', () => {
  it('is asked again, with a line in the log that says so and shows no secret', async () => {
    const { uri } = await startDatabase(dataFolder()); // it knows no users
    const part = startProcess({
      DATA_DIR: dataFolder(),
      MONGODB_URI: uri.replace('mongodb://', 'mongodb://ada:hunter2@'),
    });
    const url = await part.listening;
    await waitFor('the line', () => part.output().includes('MongoDB refuses the connection: '));
    expect(part.output()).not.toContain('hunter2');
    const { status, body } = await request<ProblemBody>(url, 'GET', '/health/ready');
    expect([status, body.detail]).toEqual([503, 'Down: database.']);
    part.signal('SIGTERM');
    expect(await part.exited).toBe(0);
  });
});

describe('a database that comes late and cannot be used', () => {
  it('ends the process with one line that says why', async () => {
    const dataDir = dataFolder();
    const database = await startDatabase(dataDir);
    const { port } = new URL(database.uri);
    const client = await mongoose.mongo.MongoClient.connect(database.uri);
    await client
      .db()
      .collection('users')
      .insertMany([{ _id: 1, emailKey: 'twice' } as never, { _id: 2, emailKey: 'twice' } as never]);
    await client.close();
    await database.stop();

    const part = startProcess({ DATA_DIR: dataDir, MONGODB_URI: database.uri });
    await part.listening;
    await startDatabase(dataDir, Number(port));
    expect(await part.exited).toBe(1);
    const fatal = part
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"fatal"'));
    expect(fatal).toHaveLength(1);
    expect(JSON.parse(fatal[0] ?? '').msg).toMatch(/^The collection of User cannot be made: /);
  });
});
