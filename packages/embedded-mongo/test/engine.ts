import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { decodeDocument } from '../bson/decode.ts';
import { BinData, type Document, type Literal, toDocument } from '../bson/values.ts';
import { Engine } from '../server/engine.ts';
import { temporaryFolder } from './helper.ts';

/** An engine without a server, for what depends on the order in which commands get their turns. */
export interface TestEngine {
  engine: Engine;
  folder: string;
  send(command: { [field: string]: Literal }): Promise<Document>;
  /** What a query finds. */
  find(collection: string, filter: Literal): Promise<Document[]>;
  close(): void;
}

/** On a folder of its own; with `copied` on what has come to the disk of another's. */
export function testEngine(copied?: TestEngine): TestEngine {
  const { folder, remove } = temporaryFolder();
  for (const file of copied ? ['mongo.sqlite', 'mongo.sqlite-wal'] : [])
    cpSync(join(copied?.folder ?? '', file), join(folder, file));
  const engine = new Engine({ file: join(folder, 'mongo.sqlite'), durability: 'NORMAL' });
  const send: TestEngine['send'] = async (command) =>
    decodeDocument(await engine.execute(toDocument({ ...command, $db: 'test' }), new Map()));
  return {
    engine,
    folder,
    send,
    async find(collection, filter) {
      const reply = await send({ find: collection, filter, batchSize: 100_000 });
      return (reply.get('cursor') as Document).get('firstBatch') as Document[];
    },
    close() {
      engine.close();
      remove();
    },
  };
}

export const lsidOf = (n: number): Document =>
  toDocument({ id: new BinData(4, Buffer.alloc(16, n)) });

/** As many turns of the event loop. */
export async function turns(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets each look at the clock take five milliseconds, more than a portion may take. So portions are as small as can be. */
export function slowClock(): jest.SpyInstance {
  let now = performance.now();
  return jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 5;
    return now;
  });
}

/**
 * Counts the pings that are answered before a command. With the slow clock the count does not depend on the machine: it is
 * the number of looks at the clock that were followed by a turn for others. It is two at most for a command that is done
 * at once.
 */
export async function pingsDuring(
  test: TestEngine,
  command: () => Promise<Document>,
): Promise<number> {
  const clock = slowClock();
  let isDone = false;
  const done = command().finally(() => {
    isDone = true;
  });
  let pings = 0;
  for (; !isDone; pings++) {
    await test.send({ ping: 1 });
    await turns(1);
  }
  clock.mockRestore();
  expect((await done).get('errmsg')).toBeUndefined();
  return pings;
}

/** Enough documents for a scan of several portions. */
export const MANY = 6000;

export async function insertMany(test: TestEngine, collection: string): Promise<void> {
  const documents = Array.from({ length: MANY }, (_, _id) => ({
    _id,
    n: 0,
    p: _id % 7,
    pad: 'x'.repeat(200),
  }));
  await test.send({ insert: collection, documents });
}
