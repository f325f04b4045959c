/** The same trouble is told again after so long. */
const AGAIN_AFTER_MS = 60_000;

interface Logger {
  warn(line: string): void;
  info(line: string): void;
}

/**
 * What the log says of the connection to NATS: what is wrong, when that changes and once a minute, and
 * that it is well again. The addresses that it names carry no credentials.
 */
export class ConnectionLog {
  readonly #logger: Logger;
  readonly #addresses: string;
  #trouble = '';
  #toldAt = 0;

  constructor(logger: Logger, addresses: string) {
    this.#logger = logger;
    this.#addresses = addresses;
  }

  /** @param what is wrong; unless given, the same as before */
  trouble(what = this.#trouble): void {
    const told = what === this.#trouble && performance.now() - this.#toldAt < AGAIN_AFTER_MS;
    if (told || !what) return;
    this.#trouble = what;
    this.#toldAt = performance.now();
    this.#logger.warn(`No connection to NATS at ${this.#addresses}: ${what}`);
  }

  well(): void {
    if (this.#trouble) this.#logger.info(`Connected to NATS at ${this.#addresses}`);
    this.#trouble = '';
  }
}
