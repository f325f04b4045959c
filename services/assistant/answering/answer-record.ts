import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import { Interrupted } from './interruption.ts';

export type StoredCall = MessageDocument['toolCalls'][number];

/** The message of an answer under way. Every write names the lease, so that a process that lost it writes nothing. */
export class AnswerRecord {
  readonly message: MessageDocument;
  readonly #lease: string;
  #writing: Promise<void> = Promise.resolve();
  #savedLength: number;

  constructor(message: MessageDocument, lease: string) {
    this.message = message;
    this.#lease = lease;
    this.#savedLength = message.content.length;
  }

  append(text: string): void {
    this.message.content += text;
  }

  /** Saves the whole message. */
  save(): Promise<void> {
    return this.#write(this.#whole());
  }

  #whole(): object {
    const { content, toolCalls, stepEnds, faultySteps, status, usage, waitsUntil } = this.message;
    const set = { content, toolCalls, stepEnds, faultySteps, status, usage };
    return waitsUntil ? { ...set, waitsUntil } : set;
  }

  /** Saves the text so far, where it has grown since. */
  async saveText(): Promise<void> {
    const { content } = this.message;
    if (content.length > this.#savedLength) await this.#write({ content });
  }

  /** Saves the message and ends the answer. */
  async end(status: MessageDocument['status']): Promise<void> {
    this.message.status = status;
    await this.#write({ ...this.#whole(), lease: null });
  }

  /** One write after another, so that an older one never overtakes. */
  #write(set: object): Promise<void> {
    const { length } = this.message.content;
    const { _id } = this.message;
    const write = this.#writing
      .catch(() => undefined)
      .then(async () => {
        const { matchedCount } = await MessageModel.updateOne(
          { _id, lease: this.#lease },
          { $set: structuredClone(set) },
        );
        if (matchedCount === 0) throw new Interrupted('lost');
        this.#savedLength = length;
      });
    this.#writing = write;
    return write;
  }
}
