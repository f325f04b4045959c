/** A message for NATS. With an id, nats-server reports to this node when no process subscribes to the subject. */
export interface Message {
  subject: string;
  data: Uint8Array;
  id: string | undefined;
}

/** Bytes that the buffer holds. Beyond them the buffer is flushed at once; the client's socket writes no more at a time. */
const MAX_BYTES = 32 * 1024;

/** The part of the connection that the buffer publishes through. */
export interface Publisher {
  /** Hands a message to the connection. Throws when the connection cannot send. */
  publish(message: Message): void;
  /** The message has not left this process and will not be sent again. */
  onUnsent(message: Message, error: Error): void;
}

/**
 * Collects the messages of one turn of the event loop and publishes them together, in order, so that the
 * client writes to its socket once. A write costs more than the rest of a small message.
 */
export class SendBuffer {
  readonly #publisher: Publisher;
  #messages: Message[] = [];
  #bytes = 0;
  #isScheduled = false;

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  add(message: Message): void {
    this.#messages.push(message);
    this.#bytes += message.data.length;
    if (this.#bytes >= MAX_BYTES) this.flush();
    else this.#scheduleFlush();
  }

  /** Publishes all messages now. */
  flush(): void {
    const messages = this.#messages;
    this.#messages = [];
    this.#bytes = 0;
    for (const message of messages) this.#publish(message);
  }

  #scheduleFlush(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  #publish(message: Message): void {
    try {
      this.#publisher.publish(message);
    } catch (error) {
      this.#publisher.onUnsent(message, error as Error);
    }
  }
}
