/** One response on its way to the process that has called. */
interface QueuedResponse {
  subject: string;
  data: Uint8Array;
  /** The time by `performance.now()` after which the caller has given up. */
  expiresAt: number;
}

/** Bytes of responses that are held while NATS is away. Beyond them the oldest response is dropped. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Milliseconds that a response is kept. Beyond them the caller has given up. */
const TTL_MS = 10_000;
/** Milliseconds within which nats-server reports a message without a responder. */
const NO_RESPONDERS_WITHIN_MS = 500;
/** Milliseconds until a response without a responder is sent again. */
const RETRY_DELAY_MS = 200;

/** The part of a connection that the outbox uses. */
export interface Connection {
  isUp(): boolean;
  /** Sends a message. When no process subscribes to its subject, `onNoResponders` is called with the id. */
  publish(subject: string, data: Uint8Array, id: string): void;
  /** A response could not be sent and will not be sent again. */
  onRefused(error: Error): void;
}

/**
 * Keeps responses over the loss of a connection, this process's own or the caller's: a response is held
 * until there is a connection, and sent again while no process subscribes to its subject.
 */
export class ResponseOutbox {
  readonly #connection: Connection;
  #held: QueuedResponse[] = [];
  #heldBytes = 0;
  /** The responses of the last moments by message id: nats-server may still report "no responders". */
  #sent = new Map<string, QueuedResponse>();
  #sentBefore = new Map<string, QueuedResponse>();
  #rotation: NodeJS.Timeout | undefined;
  #serial = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  send(subject: string, data: Uint8Array): void {
    this.#deliver({ subject, data, expiresAt: performance.now() + TTL_MS });
  }

  /**
   * Call this when the connection is back. Responses sent just before the loss are sent again, because
   * they may be lost; a caller ignores a second response.
   */
  resume(): void {
    const responses = [...this.#sentBefore.values(), ...this.#sent.values(), ...this.#held];
    this.#sentBefore.clear();
    this.#sent.clear();
    this.#held = [];
    this.#heldBytes = 0;
    for (const response of responses) this.#deliver(response);
  }

  /** Sends the response again later: its caller may be reconnecting. False when the id is no response's. */
  onNoResponders(id: string): boolean {
    const response = this.#sent.get(id) ?? this.#sentBefore.get(id);
    if (!response) return false;
    this.#sent.delete(id);
    this.#sentBefore.delete(id);
    setTimeout(() => this.#deliver(response), RETRY_DELAY_MS).unref();
    return true;
  }

  #deliver(response: QueuedResponse): void {
    if (performance.now() > response.expiresAt) return;
    if (!this.#connection.isUp()) {
      this.#hold(response);
      return;
    }
    const id = `answer-${++this.#serial}`;
    this.#sent.set(id, response);
    this.#rotation ??= setTimeout(() => this.#rotate(), NO_RESPONDERS_WITHIN_MS).unref();
    try {
      this.#connection.publish(response.subject, response.data, id);
    } catch (error) {
      // A nats-server that was restarted may have a lower limit for messages.
      this.#connection.onRefused(error as Error);
    }
  }

  #hold(response: QueuedResponse): void {
    this.#held.push(response);
    this.#heldBytes += response.data.length;
    while (this.#heldBytes > MAX_HELD_BYTES)
      this.#heldBytes -= this.#held.shift()?.data.length ?? 0;
  }

  /** Forgets the responses that nats-server has had enough time to report. */
  #rotate(): void {
    if (this.#connection.isUp()) {
      this.#sentBefore = this.#sent;
      this.#sent = new Map();
    }
    this.#rotation = this.#sentBefore.size
      ? setTimeout(() => this.#rotate(), NO_RESPONDERS_WITHIN_MS).unref()
      : undefined;
  }
}
