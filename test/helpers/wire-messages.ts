/** Bytes of a message's header: its length, its id, the id that it answers, its opcode. */
const HEADER_BYTES = 16;
/** Bytes before a text, which say how long it is. */
const LENGTH_BYTES = 4;
const OP_QUERY = 2004;
/** Where the first field's name begins: behind the flags, the section's kind, the length, the type. */
const FIRST_NAME_AT = HEADER_BYTES + 4 + 1 + 4 + 1;

/** Cuts a stream of bytes into messages of the MongoDB wire protocol. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are complete with this chunk. */
  push(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    while (this.#rest.length >= 4 && this.#rest.length >= this.#rest.readInt32LE(0)) {
      const message = this.#rest.subarray(0, this.#rest.readInt32LE(0));
      this.#rest = this.#rest.subarray(message.length);
      messages.push(message);
    }
    return messages;
  }
}

export const idOf = (message: Buffer): number => message.readInt32LE(4);
export const answeredIdOf = (message: Buffer): number => message.readInt32LE(8);
export const isQuery = (message: Buffer): boolean => message.readInt32LE(12) === OP_QUERY;

/** The name of a driver's command. Drivers send `OP_QUERY` for nothing but their greeting. */
export function commandOf(message: Buffer): string {
  if (isQuery(message)) return 'hello';
  return message.toString('utf8', FIRST_NAME_AT, message.indexOf(0, FIRST_NAME_AT));
}

/** The collection that a command on one names. */
export function collectionOf(message: Buffer): string {
  const at = message.indexOf(0, FIRST_NAME_AT) + 1 + LENGTH_BYTES;
  return message.toString('utf8', at, message.indexOf(0, at));
}

const HOUSEKEEPING = ['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'];

/** Tells whether the driver sends the command by itself and not for an operation. */
export const isHousekeeping = (command: string): boolean => HOUSEKEEPING.includes(command);
