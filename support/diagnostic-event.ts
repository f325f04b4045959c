import { type Channel, channel } from 'node:diagnostics_channel';

/**
 * An event of this process on a `diagnostics_channel`, for metrics. Publishing without subscribers costs one read of
 * a flag.
 */
export class DiagnosticEvent<Payload extends object> {
  readonly #channel: Channel;

  constructor(name: string) {
    this.#channel = channel(`workspace-automation:${name}`);
  }

  /** Lets a publisher skip the work for an expensive payload. */
  get hasSubscribers(): boolean {
    return this.#channel.hasSubscribers;
  }

  publish(payload: Payload): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(payload);
  }

  /** Returns the function that ends the subscription. */
  subscribe(subscriber: (payload: Payload) => void): () => void {
    const listener = (message: unknown) => subscriber(message as Payload);
    this.#channel.subscribe(listener);
    return () => void this.#channel.unsubscribe(listener);
  }
}
