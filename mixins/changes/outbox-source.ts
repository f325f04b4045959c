import type { Model, mongo } from 'mongoose';
import type { ChangedDocument, OutboxEntry } from '../../models/changed-document.ts';

/** A change that has been written. The carrier hands its entries over. */
export interface WrittenChange {
  _id: number | string;
  entries: readonly OutboxEntry[];
  isCreated: boolean;
  isRemoved: boolean;
}

/** A collection whose documents have outboxes. */
export interface OutboxSource {
  readonly collection: mongo.Collection<ChangedDocument>;
  /** Get each written change; the carriers of this process are listeners. */
  readonly listeners: Set<(written: WrittenChange) => void>;
}

type WithOutbox = { _id: number | string; outbox?: OutboxEntry[] };

/**
 * The outboxes of a model's documents. Each write of such a document stores its entries itself, and publishes
 * them afterwards; the sweep finds entries that were not published.
 */
export class Outboxes<T extends WithOutbox> implements OutboxSource {
  readonly collection: OutboxSource['collection'];
  readonly listeners: OutboxSource['listeners'] = new Set();

  constructor(model: Model<T>) {
    this.collection = model.collection as unknown as OutboxSource['collection'];
  }

  /** Hands the entries that a write has stored to a carrier of this process; a removal also without entries. */
  publish(
    _id: T['_id'],
    entries: readonly OutboxEntry[] = [],
    { isCreated = false, isRemoved = false } = {},
  ): void {
    const [listener] = this.listeners; // a process may have several brokers; one carrier is enough
    if (entries.length || isRemoved) listener?.({ _id, entries, isCreated, isRemoved });
  }
}

/** Makes the outboxes of a model that no change store writes, once, where its module is loaded. */
export const outboxesOf = <T extends WithOutbox>(model: Model<T>): Outboxes<T> =>
  new Outboxes(model);
