import { type Channel, channel } from 'node:diagnostics_channel';

/**
 * An event of this process that figures are made from, over a `diagnostics_channel`. Without subscribers
 * publishing costs one read of a flag.
 */
export class DiagnosticEvent<Payload extends object> {
  readonly #channel: Channel;

  constructor(name: string) {
    this.#channel = channel(`workspace-automation:${name}`);
  }

  /** For a publisher whose payload costs something to make. */
  get hasSubscribers(): boolean {
    return this.#channel.hasSubscribers;
  }

  publish(payload: Payload): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(payload);
  }

  subscribe(subscriber: (payload: Payload) => void): void {
    this.#channel.subscribe((message) => subscriber(message as Payload));
  }
}
