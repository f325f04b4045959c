/** One answer on its way to the process that has asked. */
interface Answer {
  topic: string;
  data: Uint8Array;
  /** By `performance.now()`, from when on nobody waits for it any more. */
  until: number;
}

/** Bytes of answers that are kept while NATS is away; each of them is waited for a few seconds at most. */
const MOST_HELD = 64 * 1024 * 1024;
const KEPT_FOR_MS = 10_000;
/** In so many milliseconds nats-server has said if nobody listens. */
const WORD_WITHIN_MS = 500;
const AGAIN_AFTER_MS = 200;

/** What answers need of the connection. */
export interface Connection {
  isUp(): boolean;
  /** Sends a message; if nobody listens to its topic, `Answers.onNoResponders` is told the id. */
  publish(topic: string, data: Uint8Array, id: string): void;
  /** An answer could not be sent, and will not be sent again. */
  refused(error: Error): void;
}

/**
 * Answers outlast a connection that is gone, this process's own or that of who asked: they are held
 * until there is one, and sent again while nobody listens to them.
 */
export class ResponseOutbox {
  readonly #line: Connection;
  #held: Answer[] = [];
  #heldBytes = 0;
  /** Those of the last moments, by id: whether they were heard is not known yet. */
  #sent = new Map<string, Answer>();
  #sentBefore = new Map<string, Answer>();
  #turn: NodeJS.Timeout | undefined;
  #serial = 0;

  constructor(line: Connection) {
    this.#line = line;
  }

  send(topic: string, data: Uint8Array): void {
    this.#deliver({ topic, data, until: performance.now() + KEPT_FOR_MS });
  }

  /**
   * The connection is there again. What was sent just before its end may have died with it; an answer
   * that comes twice is passed over.
   */
  resume(): void {
    const answers = [...this.#sentBefore.values(), ...this.#sent.values(), ...this.#held];
    this.#sentBefore.clear();
    this.#sent.clear();
    this.#held = [];
    this.#heldBytes = 0;
    for (const answer of answers) this.#deliver(answer);
  }

  /** Nobody listened: who asked may be about to come back. Whether the id was an answer's. */
  onNoResponders(id: string): boolean {
    const answer = this.#sent.get(id) ?? this.#sentBefore.get(id);
    if (!answer) return false;
    this.#sent.delete(id);
    this.#sentBefore.delete(id);
    setTimeout(() => this.#deliver(answer), AGAIN_AFTER_MS).unref();
    return true;
  }

  #deliver(answer: Answer): void {
    if (performance.now() > answer.until) return;
    if (!this.#line.isUp()) {
      this.#hold(answer);
      return;
    }
    const id = `answer-${++this.#serial}`;
    this.#sent.set(id, answer);
    this.#turn ??= setTimeout(() => this.#forget(), WORD_WITHIN_MS).unref();
    try {
      this.#line.publish(answer.topic, answer.data, id);
    } catch (error) {
      this.#line.refused(error as Error); // the server of now may take less than the one before
    }
  }

  #hold(answer: Answer): void {
    this.#held.push(answer);
    this.#heldBytes += answer.data.length;
    while (this.#heldBytes > MOST_HELD) this.#heldBytes -= this.#held.shift()?.data.length ?? 0;
  }

  #forget(): void {
    if (this.#line.isUp()) {
      this.#sentBefore = this.#sent;
      this.#sent = new Map();
    }
    this.#turn = this.#sentBefore.size
      ? setTimeout(() => this.#forget(), WORD_WITHIN_MS).unref()
      : undefined;
  }
}
