/** A message on its way to NATS; with an id where the sender wants to hear that nobody listens. */
export interface Message {
  topic: string;
  data: Uint8Array;
  id: string | undefined;
}

/** Bytes that one turn collects; beyond it the buffer is flushed at once. The client writes no more than these at a time. */
const MAX_BYTES = 32 * 1024;

/** The part of the connection that the buffer publishes through. */
export interface Publisher {
  /** Hands a message to the connection. Throws when the connection cannot send. */
  publish(message: Message): void;
  /** The message has not left this process, and will not be sent again. */
  onUnsent(message: Message, error: Error): void;
}

/**
 * Collects the messages of one turn of the event loop and publishes them together, in order: the client then
 * writes to its socket once. A write costs more than a small message does otherwise.
 */
export class SendBuffer {
  readonly #publisher: Publisher;
  #messages: Message[] = [];
  #bytes = 0;
  #scheduled = false;

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  add(message: Message): void {
    this.#messages.push(message);
    this.#bytes += message.data.length;
    if (this.#bytes >= MAX_BYTES) this.flush();
    else this.#schedule();
  }

  /** Publishes all messages now. */
  flush(): void {
    const messages = this.#messages;
    this.#messages = [];
    this.#bytes = 0;
    for (const message of messages) this.#publish(message);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
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
