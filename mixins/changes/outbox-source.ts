import type { Model, mongo } from 'mongoose';
import type { ChangedDocument, OutboxEntry } from '../../models/changed-document.ts';
import type { WrittenChange } from './document-writer.ts';

/** A collection whose documents have outboxes. */
export interface OutboxSource {
  readonly collection: mongo.Collection<ChangedDocument>;
  /** Get each written change; the carriers of this process are listeners. */
  readonly listeners: Set<(written: WrittenChange) => void>;
}

type WithOutbox = { _id: number; outbox?: OutboxEntry[] };

/**
 * The outboxes of documents that no change store writes. Each write of such a document stores its entries
 * itself, and publishes them afterwards; the sweep finds entries that were not published.
 */
export class Outboxes<T extends WithOutbox> implements OutboxSource {
  readonly collection: OutboxSource['collection'];
  readonly listeners: OutboxSource['listeners'] = new Set();

  constructor(model: Model<T>) {
    this.collection = model.collection as unknown as OutboxSource['collection'];
  }

  /** Hands the entries that a write has stored to a carrier of this process. */
  publish(_id: T['_id'], entries: readonly OutboxEntry[] = []): void {
    const [listener] = this.listeners; // a process may have several brokers; one carrier is enough
    if (entries.length) listener?.({ _id, entries, isCreated: false, isRemoved: false });
  }
}

/** Makes the outboxes of a model, once, where its module is loaded. */
export const outboxesOf = <T extends WithOutbox>(model: Model<T>): Outboxes<T> =>
  new Outboxes(model);
