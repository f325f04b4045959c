/** Milliseconds after which the same trouble is logged again. */
const REPEAT_AFTER_MS = 60_000;

/** Refused permissions that are logged, each once. A process with more of them has the wrong NATS user. */
const MAX_REFUSALS = 100;

interface Logger {
  warn(line: string): void;
  info(line: string): void;
  error(line: string): void;
}

/**
 * Logs the state of the connection to NATS: trouble when it changes and once a minute, and the end of
 * trouble. The logged addresses carry no credentials.
 */
export class ConnectionLog {
  readonly #logger: Logger;
  readonly #addresses: string;
  #trouble = '';
  #loggedAt = 0;
  readonly #refusals = new Set<string>();
  /** The time by `performance.now()` of the last line about an invalid message, by subject. */
  readonly #invalidAt = new Map<string, number>();

  constructor(logger: Logger, addresses: string) {
    this.#logger = logger;
    this.#addresses = addresses;
  }

  /** @param reason of the trouble; without it, the reason of the last call */
  trouble(reason = this.#trouble): void {
    const isFresh =
      reason === this.#trouble && performance.now() - this.#loggedAt < REPEAT_AFTER_MS;
    if (isFresh || !reason) return;
    this.#trouble = reason;
    this.#loggedAt = performance.now();
    this.#logger.warn(`No connection to NATS at ${this.#addresses}: ${reason}`);
  }

  /** The NATS user of this process lacks a permission. A call that needs the permission ends at its deadline. */
  refused(operation: string, subject: string): void {
    const refusal = `${operation} ${subject}`;
    if (this.#refusals.has(refusal) || this.#refusals.size >= MAX_REFUSALS) return;
    this.#refusals.add(refusal);
    this.#logger.error(`NATS lets this process not do what it needs: ${refusal}`);
  }

  /** Another node has sent what this process does not read. One line a minute for each of this process's subjects. */
  invalidMessage(subject: string, reason: string): void {
    if (performance.now() - (this.#invalidAt.get(subject) ?? -Infinity) < REPEAT_AFTER_MS) return;
    this.#invalidAt.set(subject, performance.now());
    this.#logger.warn(`A message to ${subject} was not valid: ${reason}`);
  }

  /** Logs the end of trouble, if there was any. */
  connected(): void {
    if (this.#trouble) this.#logger.info(`Connected to NATS at ${this.#addresses}`);
    this.#trouble = '';
  }
}
