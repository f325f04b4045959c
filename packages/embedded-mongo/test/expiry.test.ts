import { decodeDocument } from '../bson/decode.ts';
import { type Literal, toDocument } from '../bson/values.ts';
import { expireDocuments } from '../commands/expiry.ts';
import { Engine } from '../server/engine.ts';
import { temporaryFolder } from './helper.ts';

describe('TTL indexes', () => {
  const { folder, remove } = temporaryFolder();
  const engine = new Engine({ file: `${folder}/ttl.sqlite`, durability: 'NORMAL' });
  afterAll(() => {
    engine.close();
    remove();
  });
  const run = async (command: { [field: string]: Literal }) =>
    decodeDocument(await engine.execute(toDocument({ ...command, $db: 'test' }), new Map()));

  it('remove what is due, and only that', async () => {
    const now = Date.now();
    const key = { at: 1 };
    await run({
      createIndexes: 'c',
      indexes: [
        { key, name: 'at', expireAfterSeconds: 60, partialFilterExpression: { temporary: true } },
      ],
    });
    await run({
      insert: 'c',
      documents: [
        { _id: 1, at: new Date(now - 61_000), temporary: true },
        { _id: 2, at: new Date(now - 59_000), temporary: true },
        { _id: 3, at: new Date(now - 61_000) },
        { _id: 4, at: 5, temporary: true },
        { _id: 5, at: [new Date(now - 90_000), new Date(now)], temporary: true },
        { _id: 6, temporary: true },
      ],
    });
    await expireDocuments(engine, now);
    const reply = await run({ distinct: 'c', key: '_id' });
    expect(reply.get('values')).toEqual([2, 3, 4, 6]);
  });

  it('are refused over several fields', async () => {
    const reply = await run({
      createIndexes: 'c',
      indexes: [{ key: { a: 1, b: 1 }, name: 'x', expireAfterSeconds: 1 }],
    });
    expect(reply.get('code')).toBe(67);
  });
});
