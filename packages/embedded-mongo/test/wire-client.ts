import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { type Document, type Literal, toDocument } from '../bson/values.ts';
import { Framer } from '../server/wire.ts';

/** A connection without a driver, for what drivers don't do. */
interface WireClient {
  socket: Socket;
  send(command: Literal): Promise<Document>;
  close(): void;
}

export async function connectWire(uri: string): Promise<WireClient> {
  const socket = connect(Number(new URL(uri).port), '127.0.0.1');
  await once(socket, 'connect');
  const framer = new Framer();
  const waiting: ((reply: Document) => void)[] = [];
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    for (const frame of framer.push(chunk)) waiting.shift()?.(decodeDocument(frame.subarray(21)));
  });
  return {
    socket,
    send: (command) => {
      socket.write(messageOf(encodeDocument(toDocument(command as { [field: string]: Literal }))));
      return new Promise((resolve) => waiting.push(resolve));
    },
    close: () => socket.destroy(),
  };
}

/** An OP_MSG around one encoded document. */
export function messageOf(body: Buffer, opcode = 2013): Buffer {
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(1, 4);
  head.writeInt32LE(opcode, 12);
  return Buffer.concat([head, body]);
}
