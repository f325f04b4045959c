/** Characters of one event of a stream. A longer one ends the stream. */
const MAX_EVENT_LENGTH = 2 * 1024 * 1024;
const EVENT_END = '\n\n';

/** Puts a stream of server-sent events together again, whose chunks may begin or end in the middle of an event. */
export class WholeEvents {
  readonly #decoder = new TextDecoder();
  /** The beginning of the event whose end has not come, in the chunks that brought it. */
  #begun: string[] = [];
  #length = 0;

  /** Returns the text of the events that are complete. Throws for an event that is too long. */
  take(chunk: Buffer | string): string {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    const last = this.#begun.at(-1) ?? '';
    const end = `${last.slice(-1)}${text}`.lastIndexOf(EVENT_END);
    if (end < 0) {
      this.#keep(text);
      return '';
    }
    const cut = end + EVENT_END.length - last.slice(-1).length;
    const events = this.#begun.join('') + text.slice(0, cut);
    this.#begun = [];
    this.#length = 0;
    this.#keep(text.slice(cut));
    return events;
  }

  #keep(text: string): void {
    if (text === '') return;
    this.#begun.push(text);
    this.#length += text.length;
    if (this.#length > MAX_EVENT_LENGTH) throw new RangeError('an event of a stream is too long');
  }
}
