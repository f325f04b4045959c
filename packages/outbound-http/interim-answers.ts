import { Socket } from 'node:net';
import { buildConnector } from 'undici';

/**
 * Begins a connection and returns its socket, which is still connecting. `callback` gets the socket of the whole
 * connection, or the error.
 */
export type Connector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
) => Socket;

/**
 * Makes a connector whose sockets change an unrequested `100 Continue` to a 102. A client must ignore such a 100
 * (RFC 9110, 15.2), but undici ignores only other 1xx answers and takes a 100 for a broken answer.
 */
export function createConnector(options: buildConnector.BuildOptions): Connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    // undici's types lack the result.
    const connecting: unknown = connect(target, (...[error, socket]) => {
      if (error) callback(error, null);
      else callback(null, replaceContinue(socket));
    });
    if (connecting instanceof Socket) return connecting;
    throw new TypeError("undici's connector has returned no socket");
  };
}

function replaceContinue<S extends Socket>(socket: S): S {
  const answer = new AnswerStart();
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  const read = socket.read.bind(socket);
  // A connection sends one whole request at a time: the bytes read after a write begin its answer.
  const observed = {
    write(...given: unknown[]) {
      answer.expect();
      return write(...given);
    },
    read(size?: number) {
      const chunk: unknown = read(size);
      if (Buffer.isBuffer(chunk)) answer.pass(chunk);
      return chunk;
    },
  };
  return Object.assign(socket, observed);
}

/** The start of a `100 Continue` answer. `x` is any character. */
const CONTINUE = 'HTTP/1.x 100';
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TWO = '2'.charCodeAt(0);

/** Reads the start of an answer up to its final status. */
class AnswerStart {
  #reading: 'status' | 'header' | 'rest' = 'rest';
  /** The number of characters of `CONTINUE` that were read. */
  #matched = 0;
  #isLineEmpty = false;

  expect(): void {
    if (this.#reading === 'rest') this.#begin();
  }

  pass(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.#reading !== 'rest'; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#reading === 'header') this.#readHeader(byte);
      else if (this.#readStatus(byte)) chunk[at] = TWO;
    }
  }

  #begin(): void {
    this.#reading = 'status';
    this.#matched = 0;
  }

  /** Reads one byte of the status. Returns whether the byte is the last digit of a 100. */
  #readStatus(byte: number): boolean {
    const wanted = CONTINUE.charAt(this.#matched);
    if (wanted !== 'x' && wanted !== String.fromCharCode(byte)) this.#reading = 'rest';
    this.#matched += 1;
    if (this.#reading === 'rest' || this.#matched < CONTINUE.length) return false;
    this.#reading = 'header';
    this.#isLineEmpty = false;
    return true;
  }

  /** Reads one byte of the header. An empty line ends the header, and the next status begins. */
  #readHeader(byte: number): void {
    if (byte === CARRIAGE_RETURN) return;
    if (byte === LINE_FEED && this.#isLineEmpty) this.#begin();
    this.#isLineEmpty = byte === LINE_FEED;
  }
}
