import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

type Connector = ReturnType<typeof buildConnector>;

/**
 * A server may say `100 Continue` although nobody asked, and a client passes over that (RFC 9110,
 * 15.2). undici takes it for a broken answer, unlike any other 1xx, so it gets to see a 102 instead.
 */
export function ignoringContinue(options: buildConnector.BuildOptions): Connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error) callback(error, null);
      else callback(null, withoutContinue(socket));
    });
}

function withoutContinue<S extends Socket>(socket: S): S {
  const answer = new AnswerStart();
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  const read = socket.read.bind(socket);
  // One request at a time, written whole: what is read next begins its answer.
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

/** `x` is any digit. */
const CONTINUE = 'HTTP/1.x 100';
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TWO = '2'.charCodeAt(0);

/** Follows an answer to where its final status begins. */
class AnswerStart {
  #reading: 'status' | 'header' | 'rest' = 'rest';
  /** Characters of `CONTINUE` that were read. */
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

  /** Whether this is the last digit of a 100. */
  #readStatus(byte: number): boolean {
    const wanted = CONTINUE.charAt(this.#matched);
    if (wanted !== 'x' && wanted !== String.fromCharCode(byte)) this.#reading = 'rest';
    this.#matched += 1;
    if (this.#reading === 'rest' || this.#matched < CONTINUE.length) return false;
    this.#reading = 'header';
    this.#isLineEmpty = false;
    return true;
  }

  /** An empty line ends the header, and the next status begins. */
  #readHeader(byte: number): void {
    if (byte === CARRIAGE_RETURN) return;
    if (byte === LINE_FEED && this.#isLineEmpty) this.#begin();
    this.#isLineEmpty = byte === LINE_FEED;
  }
}
