import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { mongo } from 'mongoose';
import { commandOf, idOf, isHousekeeping, isQuery, MessageReader } from './wire-messages.ts';

const { BSON } = mongo;
type Document = mongo.BSON.Document;

/** The reaction of a scripted database to a command: an answer or a failure. */
export type Reaction = Document | 'hang-up' | 'reset' | 'silence' | 'half-an-answer' | 'no-length';

const OP_REPLY = 1;
const OP_MSG = 2013;

/** A server that greets drivers as the primary of a replica set does, and then follows its script. */
export class ScriptedDatabase {
  /** The commands that came, the greetings of drivers apart. */
  readonly commands: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #react: (command: string) => Reaction = () => ({ ok: 1 });

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<ScriptedDatabase> {
    const database = new ScriptedDatabase();
    await new Promise<void>((resolve) => database.#server.listen(0, '127.0.0.1', resolve));
    return database;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get uri(): string {
    return `mongodb://${this.address}/scripted?replicaSet=scripted&minHeartbeatFrequencyMS=10`;
  }

  follow(script: (command: string) => Reaction): void {
    this.#react = script;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    const reader = new MessageReader();
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      for (const message of reader.push(chunk)) this.#meet(message, socket);
    });
  }

  #meet(message: Buffer, socket: Socket): void {
    const command = commandOf(message);
    if (isHousekeeping(command)) {
      socket.write(answerTo(message, this.#greeting()));
      return;
    }
    this.commands.push(command);
    const reaction = this.#react(command);
    if (reaction === 'silence') return;
    if (reaction === 'hang-up') socket.destroy();
    else if (reaction === 'reset') socket.resetAndDestroy();
    else socket.write(bytesOf(reaction, message), () => isHalf(reaction) && socket.destroy());
  }

  #greeting(): Document {
    return {
      ok: 1,
      isWritablePrimary: true,
      setName: 'scripted',
      setVersion: 1,
      hosts: [this.address],
      primary: this.address,
      me: this.address,
      minWireVersion: 0,
      maxWireVersion: 25,
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      logicalSessionTimeoutMinutes: 30,
    };
  }
}

const isHalf = (reaction: Reaction): boolean => reaction === 'half-an-answer';

function bytesOf(reaction: Reaction, message: Buffer): Buffer {
  if (typeof reaction === 'object') return answerTo(message, reaction);
  const answer = answerTo(message, { ok: 1, text: 'x'.repeat(100) });
  if (reaction === 'half-an-answer') return answer.subarray(0, answer.length / 2);
  answer.writeInt32LE(-1, 0);
  return answer;
}

function answerTo(message: Buffer, document: Document): Buffer {
  const body = Buffer.from(BSON.serialize(document));
  const head = Buffer.alloc(isQuery(message) ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(idOf(message), 8);
  head.writeInt32LE(isQuery(message) ? OP_REPLY : OP_MSG, 12);
  if (isQuery(message)) head.writeInt32LE(1, 32); // one document
  return Buffer.concat([head, body]);
}
