/** The same trouble is told again after so long. */
const AGAIN_AFTER_MS = 60_000;

/** Refusals that are told, each of them once; a process with more lacks a user of its own. */
const MOST_REFUSALS = 100;

interface Logger {
  warn(line: string): void;
  info(line: string): void;
  error(line: string): void;
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
  readonly #refusals = new Set<string>();

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

  /** The user of this process lacks a permission. What it costs is a call without an answer, 504 in the end. */
  refused(operation: string, subject: string): void {
    const refusal = `${operation} ${subject}`;
    if (this.#refusals.has(refusal) || this.#refusals.size >= MOST_REFUSALS) return;
    this.#refusals.add(refusal);
    this.#logger.error(`NATS lets this process not do what it needs: ${refusal}`);
  }

  well(): void {
    if (this.#trouble) this.#logger.info(`Connected to NATS at ${this.#addresses}`);
    this.#trouble = '';
  }
}
