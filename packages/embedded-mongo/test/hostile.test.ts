import { MongoClient } from 'mongodb';
import { fuzz } from './fuzz.ts';
import { type TestServer, testServer } from './helper.ts';
import { connectWire, messageOf } from './wire-client.ts';

describe('hostile input', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await testServer();
  });
  afterAll(() => test.stop());

  it('ends its own connection and nothing else', async () => {
    const kept = test.db.collection('kept');
    await kept.insertOne({ a: 1 });
    await fuzz(test.server.uri, 1, 2000);
    expect(await kept.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ a: 1 }]);
    const client = await new MongoClient(test.server.uri).connect();
    expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    expect(test.server.process.exitCode).toBeNull();
  });

  it('is not waited for when it announces more than a message may have', async () => {
    const wire = await connectWire(test.server.uri);
    const closed = new Promise((resolve) => wire.socket.once('close', resolve));
    const message = messageOf(Buffer.alloc(0));
    message.writeInt32LE(2_000_000_000, 0);
    wire.socket.write(message);
    await closed;
  });

  it('reaches this machine only', async () => {
    expect(new URL(test.server.uri).hostname).toBe('127.0.0.1');
  });
});
