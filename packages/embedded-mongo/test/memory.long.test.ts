import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Collection, type FindCursor, MongoClient } from 'mongodb';
import { errorOf, temporaryFolder } from './helper.ts';

/** Returns stages that make a document for each pair of two numbers below `n`. */
const pairs = (n: number) => [
  { $set: { a: { $range: [0, n] }, b: { $range: [0, n] } } },
  { $unwind: '$a' },
  { $unwind: '$b' },
];

interface Thing {
  _id: number;
  n?: number;
}

/** Runs `test` against a server whose heap has so many megabytes. */
async function withHeap(megabytes: number, test: (things: Collection<Thing>) => Promise<void>) {
  const { folder, remove } = temporaryFolder();
  const cli = join(import.meta.dirname, '../cli.ts');
  const args = [`--max-old-space-size=${megabytes}`, cli, '--port', '0', '--data', folder];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [uri] = await once(server.stdout, 'data');
  const client = await new MongoClient(String(uri).trim()).connect();
  await test(client.db('test').collection<Thing>('c'));
  await client.close();
  server.kill();
  await once(server, 'exit');
  remove();
}

it('a pipeline that would take all memory is refused, and one with as much garbage is not', () =>
  withHeap(512, async (things) => {
    await things.insertOne({ _id: 1 });
    const group = { $group: { _id: { a: '$a', b: '$b' } } };
    const all = things.aggregate([...pairs(2500), group, { $count: 'n' }]);
    expect((await errorOf(all.toArray())).code).toBe(146);
    const last = { $group: { _id: null, n: { $sum: 1 }, last: { $last: { $add: ['$a', '$b'] } } } };
    expect(await things.aggregate([...pairs(1000), last]).toArray()).toMatchObject([{ n: 1e6 }]);
  }));

const LAST = { _id: 49_999, n: -49_999 };

it('sorts are refused when those whose cursors are open have taken the memory', () =>
  withHeap(512, async (things) => {
    await things.insertMany(Array.from({ length: 50_000 }, (_, _id) => ({ _id, n: -_id })));
    const cursors: FindCursor[] = [];
    const openMany = async (): Promise<void> => {
      for (let n = 0; n < 500; n++) {
        const cursor = things.find().sort({ n: 1 }).batchSize(1);
        await cursor.next();
        cursors.push(cursor);
      }
    };
    expect((await errorOf(openMany())).code).toBe(146);
    expect(await things.findOne({ _id: 7 })).toEqual({ _id: 7, n: -7 });
    const few = { n: { $gt: -3 } };
    expect(await things.findOne(few, { sort: { n: 1 } })).toEqual({ _id: 2, n: -2 });
    expect(await things.findOne({}, { sort: { n: 1 } })).toEqual(LAST);
    for (const cursor of cursors) await cursor.close();
    // The memory of the closed cursors is garbage.
    const all = await things.find().sort({ n: 1 }).toArray();
    expect(all).toHaveLength(50_000);
    expect(all[0]).toEqual(LAST);
  }));
