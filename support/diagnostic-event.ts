import { type Channel, channel } from 'node:diagnostics_channel';

/**
 * Something that happens in this process again and again, for whoever counts it. Where nobody listens,
 * telling costs a look at a flag.
 */
export class DiagnosticEvent<News extends object> {
  readonly #channel: Channel;

  constructor(name: string) {
    this.#channel = channel(`workspace-automation:${name}`);
  }

  /** Whether anybody listens: for news that cost something to make. */
  get heard(): boolean {
    return this.#channel.hasSubscribers;
  }

  tell(news: News): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(news);
  }

  hear(listener: (news: News) => void): void {
    this.#channel.subscribe((message) => listener(message as News));
  }
}
