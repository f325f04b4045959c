import { decodeDocument } from '../bson/decode.ts';
import type { Document } from '../bson/values.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
const MAX_MESSAGE = 48_000_000 + 16_384;

/** The flag of an OP_MSG that ends with a checksum. */
const CHECKSUM = 1;
/** The flag of an OP_MSG whose sender does not wait for an answer. */
const MORE_TO_COME = 2;
/** The flags of an OP_MSG that a receiver must know. A message with another of these flags is refused. */
const REQUIRED = 0xffff;

/** A message of a client. A ProtocolFault closes the client's connection. */
interface Message {
  requestId: number;
  opcode: number;
  body: Document;
  /** The encoded documents of document sequences, by the name of the sequence. */
  sequences: Map<string, Buffer[]>;
  /** Whether the client does not wait for an answer. */
  silent: boolean;
}

class ProtocolFault extends Error {}

/** Cuts a stream of bytes into messages. */
export class Framer {
  private chunks: Buffer[] = [];
  private length = 0;

  /** Takes a chunk and returns the messages that it completes. */
  push(chunk: Buffer): Buffer[] {
    this.chunks.push(chunk);
    this.length += chunk.length;
    const frames: Buffer[] = [];
    while (this.length >= 4) {
      const size = this.size();
      if (this.length < size) break;
      frames.push(this.take(size));
    }
    return frames;
  }

  private size(): number {
    if ((this.chunks[0] as Buffer).length < 4) this.join();
    const size = (this.chunks[0] as Buffer).readInt32LE(0);
    if (size < HEADER || size > MAX_MESSAGE) throw new ProtocolFault(`a message of length ${size}`);
    return size;
  }

  private take(size: number): Buffer {
    this.join();
    const all = this.chunks[0] as Buffer;
    this.chunks = all.length > size ? [all.subarray(size)] : [];
    this.length -= size;
    return all.subarray(0, size);
  }

  private join(): void {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks, this.length)];
  }
}

export function parseMessage(frame: Buffer): Message {
  const requestId = frame.readInt32LE(4);
  const opcode = frame.readInt32LE(12);
  if (opcode === OP_MSG) return { requestId, opcode, ...parseMsg(frame) };
  if (opcode === OP_QUERY) {
    return { requestId, opcode, body: parseQuery(frame), sequences: new Map(), silent: false };
  }
  throw new ProtocolFault(`opcode ${opcode}`);
}

function parseMsg(frame: Buffer): Pick<Message, 'body' | 'sequences' | 'silent'> {
  if (frame.length < HEADER + 4) throw new ProtocolFault('a message without its flags');
  const flags = frame.readUInt32LE(HEADER);
  if ((flags & REQUIRED & ~(CHECKSUM | MORE_TO_COME)) !== 0)
    throw new ProtocolFault(`flags ${flags}`);
  const end = frame.length - (flags & CHECKSUM ? 4 : 0);
  const sequences = new Map<string, Buffer[]>();
  let body: Document | undefined;
  for (let at = HEADER + 4; at < end; ) {
    const kind = frame[at++];
    const size = sizeAt(frame, at, end);
    if (kind === 0) {
      if (body) throw new ProtocolFault('two bodies');
      body = decodeDocument(frame, at, at + size);
    } else if (kind === 1) {
      const [name, documents] = parseSequence(frame, at + 4, at + size);
      if (sequences.has(name)) throw new ProtocolFault(`the sequence ${name} twice`);
      sequences.set(name, documents);
    } else throw new ProtocolFault(`a section of kind ${kind}`);
    at += size;
  }
  if (!body || body.size === 0) throw new ProtocolFault('a message without a body');
  return { body, sequences, silent: (flags & MORE_TO_COME) !== 0 };
}

function parseSequence(frame: Buffer, start: number, end: number): [string, Buffer[]] {
  const stop = frame.indexOf(0, start);
  if (stop < 0 || stop >= end) throw new ProtocolFault('a sequence without a name');
  const documents: Buffer[] = [];
  let at = stop + 1;
  while (at < end) {
    const size = sizeAt(frame, at, end);
    documents.push(frame.subarray(at, at + size));
    at += size;
  }
  return [frame.toString('utf8', start, stop), documents];
}

function sizeAt(frame: Buffer, at: number, end: number): number {
  if (at + 4 > end) throw new ProtocolFault('a section without its length');
  const size = frame.readInt32LE(at);
  if (size < 5 || size > end - at) throw new ProtocolFault(`a section of length ${size}`);
  return size;
}

/** Parses an OP_QUERY (flags, name, skip, limit, document), which drivers still use for `hello`. */
function parseQuery(frame: Buffer): Document {
  const stop = frame.indexOf(0, HEADER + 4);
  if (stop < 0 || stop + 9 >= frame.length) throw new ProtocolFault('a query cut short');
  const body = decodeDocument(frame, stop + 9, stop + 9 + sizeAt(frame, stop + 9, frame.length));
  const [name = ''] = body.keys();
  if (!['hello', 'ismaster', 'isMaster'].includes(name))
    throw new ProtocolFault(`OP_QUERY for ${name}`);
  return body;
}

let nextId = 1;

export function encodeReply(message: Message, body: Buffer): Buffer {
  const legacy = message.opcode === OP_QUERY;
  const head = Buffer.alloc(legacy ? HEADER + 20 : HEADER + 5);
  nextId = (nextId + 1) & 0x7fffffff;
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(nextId, 4);
  head.writeInt32LE(message.requestId, 8);
  head.writeInt32LE(legacy ? OP_REPLY : OP_MSG, 12);
  if (legacy) {
    head.writeInt32LE(8, 16);
    head.writeInt32LE(1, 32);
  }
  return Buffer.concat([head, body], head.length + body.length);
}
