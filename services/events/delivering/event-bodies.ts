import { LRUCache } from 'lru-cache';
import { batchFind } from '../../../mixins/database/batch-loader.ts';
import {
  type OutgoingEventDocument,
  OutgoingEventModel,
} from '../../../models/outgoing-event.model.ts';

/** Bytes of texts in memory. Beyond them the text that was used least recently is read again. */
const CACHED_BYTES = 16 * 1024 * 1024;

/** The texts of events. The deliveries of an event to several subscriptions read its text once. */
export class EventBodies {
  readonly #cache = new LRUCache<string, string>({
    maxSize: CACHED_BYTES,
    sizeCalculation: (body) => body.length + 1,
  });
  readonly #find = batchFind<OutgoingEventDocument>(OutgoingEventModel, {
    projection: { body: 1 },
  });

  /** The text of an event; null when its retention has ended. */
  async bodyOf(eventId: string): Promise<string | null> {
    const cached = this.#cache.get(eventId);
    if (cached !== undefined) return cached;
    const found = await this.#find(eventId);
    if (found) this.#cache.set(eventId, found.body);
    return found?.body ?? null;
  }
}
