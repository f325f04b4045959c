import type { Transit } from 'moleculer';
import { FingerprintedIds } from './fingerprints.ts';

/** The calls from other nodes that this process has in progress. */
export class IncomingCalls {
  readonly #ids = new FingerprintedIds();

  /** Adds each request that the transit handles, until its response has been sent. */
  track(transit: Transit): void {
    const handle = transit.requestHandler.bind(transit);
    transit.requestHandler = (payload) => {
      const { id } = payload as { id: string };
      this.#ids.add(id);
      return handle(payload).finally(() => this.#ids.delete(id));
    };
  }

  has(fingerprint: string): boolean {
    return this.#ids.has(fingerprint);
  }
}
