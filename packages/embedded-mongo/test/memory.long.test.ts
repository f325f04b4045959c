import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { errorOf, temporaryFolder } from './helper.ts';

/** Returns stages that make a document for each pair of two numbers below `n`. */
const pairs = (n: number) => [
  { $set: { a: { $range: [0, n] }, b: { $range: [0, n] } } },
  { $unwind: '$a' },
  { $unwind: '$b' },
];

it('a pipeline that would take all memory is refused, and one with as much garbage is not', async () => {
  const { folder, remove } = temporaryFolder();
  const cli = join(import.meta.dirname, '../cli.ts');
  const args = ['--max-old-space-size=512', cli, '--port', '0', '--data', folder];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [uri] = await once(server.stdout, 'data');
  const client = await new MongoClient(String(uri).trim()).connect();
  const things = client.db('test').collection<{ _id: number }>('c');
  await things.insertOne({ _id: 1 });
  const group = { $group: { _id: null, all: { $push: { a: ['$a', '$b'] } } } };
  const all = things.aggregate([...pairs(2500), group, { $project: { n: { $size: '$all' } } }]);
  expect((await errorOf(all.toArray())).code).toBe(146);
  const last = { $group: { _id: null, n: { $sum: 1 }, last: { $last: { $add: ['$a', '$b'] } } } };
  expect(await things.aggregate([...pairs(1000), last]).toArray()).toMatchObject([{ n: 1e6 }]);
  await client.close();
  server.kill();
  await once(server, 'exit');
  remove();
});
