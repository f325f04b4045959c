import type { JournalEntry } from '../../../../../models/journal-entry.ts';
import { Exchange } from '../effects/exchange.ts';

/** The requests and responses of calls until the steps of the calls are recorded, by the keys of their positions. */
export class StepExchanges {
  readonly #exchanges = new Map<string, Exchange>();

  /** Takes the exchange of an entry. Entries come in the order of the journal. */
  load({ key, effect, step }: JournalEntry): void {
    const { request, response, transcript } = effect ?? {};
    if (request ?? transcript) {
      this.#exchanges.set(key, new Exchange({ request, response, transcript }));
    }
    if (step) this.#exchanges.delete(key);
  }

  /** Makes the exchange of a call that begins. */
  begin(key: string): Exchange {
    const exchange = new Exchange();
    this.#exchanges.set(key, exchange);
    return exchange;
  }

  /** Returns the exchange of a call under way or just ended; undefined for any other task. */
  find(key: string): Exchange | undefined {
    return this.#exchanges.get(key);
  }

  /** Returns the exchange for the record of its step, once. */
  take(key: string): Exchange | undefined {
    const exchange = this.#exchanges.get(key);
    this.#exchanges.delete(key);
    return exchange;
  }
}
