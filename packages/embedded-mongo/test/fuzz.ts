import { once } from 'node:events';
import { connect } from 'node:net';
import { encodeDocument } from '../bson/encode.ts';
import { BinData, type Literal, toDocument, type Value } from '../bson/values.ts';
import { seeded } from './helper.ts';
import { messageOf } from './wire-client.ts';

const CONNECTIONS = 8;

const $db = 'fuzz';
const proto = new Map<string, Value>([
  ['__proto__', new Map([['polluted', true]])],
  ['constructor', 1],
]);

/** Commands that make sense, to be spoiled. */
const COMMANDS: { [field: string]: Literal }[] = [
  { hello: 1, $db },
  { ping: 1, $db },
  { insert: 'c', documents: [{ _id: 1, a: [1, { b: 2 }] }, proto], ordered: false, $db },
  {
    find: 'c',
    filter: { a: { $gt: 1 }, __proto__x: 1 },
    sort: { a: -1 },
    projection: { a: 1 },
    limit: 5,
    $db,
  },
  { find: 'c', filter: proto, sort: proto, projection: proto, $db },
  {
    update: 'c',
    updates: [
      {
        q: { _id: 1 },
        u: { $set: { 'a.1.b': 3 }, $push: { c: { $each: [1], $slice: -2 } } },
        upsert: true,
      },
    ],
    $db,
  },
  {
    update: 'c',
    updates: [{ q: proto, u: { $set: proto, $inc: { '__proto__.x': 1 } }, multi: true }],
    $db,
  },
  { delete: 'c', deletes: [{ q: { a: { $in: [1, 2, null] } }, limit: 0 }], $db },
  {
    findAndModify: 'c',
    query: { _id: 1 },
    update: [{ $set: { x: { $add: ['$a', 1] } } }],
    new: true,
    $db,
  },
  {
    aggregate: 'c',
    pipeline: [{ $match: { a: 1 } }, { $group: { _id: '$a', n: { $sum: 1 } } }],
    cursor: {},
    $db,
  },
  {
    createIndexes: 'c',
    indexes: [{ key: { a: 1, b: -1 }, name: 'i', unique: true, sparse: true }],
    $db,
  },
  { getMore: 5n, collection: 'c', $db },
  {
    find: 'c',
    filter: { a: { $regex: '^a(b|c)+', $options: 'i' } },
    lsid: { id: new BinData(4, Buffer.alloc(16)) },
    txnNumber: 1n,
    autocommit: false,
    startTransaction: true,
    $db,
  },
  { explain: { find: 'c', filter: { a: 1 } }, $db },
];

/** A message with something wrong about it; sometimes with nothing wrong. */
function hostile(random: () => number): Buffer {
  const pick = (n: number): number => Math.floor(random() * n);
  const command = COMMANDS[pick(COMMANDS.length)] as { [field: string]: Literal };
  const message = messageOf(
    random() < 0.03 ? deep(pick(400)) : encodeDocument(toDocument(command)),
    random() < 0.05 ? pick(3000) : 2013,
  );
  switch (pick(7)) {
    case 0:
      return message.subarray(0, pick(message.length));
    case 1:
      message.writeInt32LE(pick(2) ? -pick(2 ** 31) : pick(2 ** 31), 0);
      return message;
    case 2:
      message.writeInt32LE(pick(2) ? -pick(1000) : pick(2 ** 31), 16 + pick(message.length - 20));
      return message;
    case 3:
      message[16] = pick(256);
      return message;
    case 4:
      return Buffer.from(Array.from({ length: pick(200) }, () => pick(256)));
    case 5:
      for (let i = pick(6); i >= 0; i--) message[21 + pick(message.length - 21)] = pick(256);
      return message;
  }
  return message;
}

function deep(levels: number): Buffer {
  let inner = Buffer.from([5, 0, 0, 0, 0]);
  for (let i = 0; i < levels; i++) {
    const size = Buffer.alloc(4);
    size.writeInt32LE(inner.length + 8);
    inner = Buffer.concat([size, Buffer.from('\x03a\0'), inner, Buffer.alloc(1)]);
  }
  return inner;
}

/** Sends each message over a connection of its own, and waits until that is closed. */
export async function fuzz(uri: string, seed: number, messages: number): Promise<void> {
  const random = seeded(seed);
  const port = Number(new URL(uri).port);
  let left = messages;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      socket.end(hostile(random));
      await once(socket, 'close');
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}
