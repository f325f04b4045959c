import type { Model, mongo } from 'mongoose';
import type { ChangedDocument, OutboxEntry } from '../../models/changed-document.ts';
import { batchInsert } from '../database/batched-inserts.ts';
import { isDuplicateKey } from '../database/database.ts';
import type { ChangeContext } from './change-context.ts';
import { busy } from './document-queue.ts';
import { type AuditedResource, type OutboxMessage, outboxOf } from './outbox.ts';
import { Outboxes } from './outbox-source.ts';
import { contextMessages, outgoingMessages, updated } from './outgoing-events.ts';
import type { StoreOptions } from './store-options.ts';
import { fieldsOf, operatorsOf, type Update } from './update.ts';

type Filter = mongo.Filter<ChangedDocument>;

/** Entries in one document's outbox beyond which a change is refused with 503 `BUSY`; a removal never is. */
const MAX_OUTBOX = 500;
/** Match documents by the number of their entries. */
const HAS_NO_ENTRIES = { 'outbox.0': { $exists: false } };
const HAS_ENTRIES = { 'outbox.0': { $exists: true } };
const HAS_ROOM = { [`outbox.${MAX_OUTBOX - 1}`]: { $exists: false } };

/** An act on a document that changes no field of it. */
export interface Act<T> {
  /** The fields that the document has to have. */
  condition?: Partial<Record<keyof T, unknown>>;
  /** The resource that the audit log names, where that is not the document. */
  resource?: AuditedResource;
}

/** Writes the documents of a model: each write is one command, which stores the outbox of the change as well. */
export class DocumentWriter<T extends ChangedDocument, S extends Pick<T, '_id' | 'revision'>> {
  readonly outboxes: Outboxes<T>;
  /** The projection of every read. */
  readonly projection: Readonly<Record<string, 0>>;
  readonly #options: StoreOptions<T, keyof T & string>;
  readonly #insert: (document: T) => Promise<void>;

  constructor(model: Model<T>, options: StoreOptions<T, keyof T & string>) {
    this.#options = options;
    this.outboxes = new Outboxes(model);
    const hidden = [...(options.hidden ?? []), ...(options.unread ?? []), 'outbox'];
    this.projection = Object.fromEntries(hidden.map((field) => [field, 0] as const));
    this.#insert = batchInsert<T>(model, options.isLarge ?? (() => false));
  }

  /** Inserts a document, or puts it in the place of a tombstone with its id. A reserved id replaces no tombstone. */
  async insert(
    created: T,
    change: ChangeContext,
    messages: readonly OutboxMessage[],
  ): Promise<void> {
    const resource = this.#resourceOf(created);
    const told = contextMessages(change, created._id, resource.workspaceId);
    const entries = outboxOf(change, resource, {
      at: created.updatedAt,
      messages: [...messages, ...this.#outgoing(null, created), ...told],
    });
    try {
      await this.#insert({ ...created, outbox: entries });
    } catch (error) {
      if (!isDuplicateKey(error, '_id_') || created._id === change.reservedId) throw error;
      if (!(await this.#replaceTombstone(created, entries))) throw error;
    }
    // An id that is given again may have entries of an earlier document, which are not dropped as a whole.
    const isCreated = this.#options.incarnation === undefined;
    this.outboxes.publish(created._id, entries, { isCreated });
  }

  /** Updates the document if it still has the revision of `current`; null otherwise. */
  updateRevision(current: S, update: Update<T>, change: ChangeContext): Promise<S | null> {
    return this.#update(this.#revisionOf(current), current, update, change, (at) =>
      this.#outgoing(current, updated(current, update, at)),
    );
  }

  /** Updates the document if `condition` holds of it; null otherwise. A tombstone is not updated. */
  updateWhere(
    _id: T['_id'],
    condition: Partial<Record<keyof T, unknown>>,
    update: Update<T>,
    change: ChangeContext,
  ): Promise<S | null> {
    const filter = { ...condition, _id, removedAt: null };
    return this.#update(filter as unknown as Filter, { _id }, update, change);
  }

  /**
   * Stores the entries of an act that changes no field of the document. False when `condition` does not hold of the
   * document. The revision is raised, because the outbox of revision 1 is dropped as a whole.
   */
  async record(
    current: Pick<T, '_id'>,
    { condition = {}, resource = this.#resourceOf(current) }: Act<T>,
    change: ChangeContext,
  ): Promise<boolean> {
    const entries = outboxOf(change, resource, { at: new Date() });
    const filter = { ...condition, _id: current._id, removedAt: null } as unknown as Filter;
    const { matchedCount } = await this.outboxes.collection.updateOne(
      { ...filter, ...HAS_ROOM },
      { $inc: { revision: 1 }, $push: { outbox: { $each: entries } } },
    );
    if (matchedCount > 0) this.outboxes.publish(current._id, entries);
    else await this.#assertUnmatched(filter);
    return matchedCount > 0;
  }

  /**
   * Puts a tombstone in the document's place if the document still has the revision of `current`; null
   * otherwise. The tombstone has the outbox and the fields of the option `tombstone`; the carrier deletes it.
   * A document whose outbox would be empty is deleted at once: no sweep finds an empty outbox.
   */
  async remove(
    current: S,
    change: ChangeContext,
    messages?: readonly OutboxMessage[],
  ): Promise<true | null> {
    const at = timeAfter(current, change);
    const resource = this.#resourceOf(current);
    const told = contextMessages(change, current._id, resource.workspaceId);
    const entries = outboxOf(change, resource, {
      at,
      messages: [...(messages ?? []), ...this.#outgoing(current, null), ...told],
    });
    if (!entries.length && (await this.#deleteSettled(current))) return true;
    const outbox = { $concatArrays: [{ $ifNull: ['$outbox', []] }, { $literal: entries }] };
    const revision = (current.revision ?? 0) + 1;
    const fields = literalsOf(this.#options.tombstone?.(current._id) ?? {});
    const tombstone = { ...fields, _id: '$_id', revision, removedAt: at, outbox };
    const filter = { ...this.#revisionOf(current), ...(entries.length ? {} : HAS_ENTRIES) };
    const { matchedCount } = await this.outboxes.collection.updateOne(filter, [
      { $replaceWith: tombstone },
    ]);
    if (matchedCount === 0) return null;
    this.outboxes.publish(current._id, entries, { isRemoved: true });
    return true;
  }

  async #deleteSettled(current: S): Promise<boolean> {
    const filter = { ...this.#revisionOf(current), ...HAS_NO_ENTRIES };
    const { deletedCount } = await this.outboxes.collection.deleteOne(filter);
    return deletedCount > 0;
  }

  async #update(
    filter: Filter,
    document: Pick<T, '_id'>,
    update: Update<T>,
    change: ChangeContext,
    outgoingAt: (at: Date) => readonly OutboxMessage[] = () => [],
  ): Promise<S | null> {
    const at = timeAfter(document, change);
    const changed = update.changed ?? this.#shownFields(fieldsOf(update));
    const resource = update.resource ?? this.#resourceOf(document);
    const told = contextMessages(change, document._id, resource.workspaceId);
    const messages = [...(update.messages ?? []), ...outgoingAt(at), ...told];
    const entries = outboxOf(change, resource, { at, changed, messages });
    const stored = await this.outboxes.collection.findOneAndUpdate(
      { ...filter, ...(entries.length ? HAS_ROOM : {}) },
      operatorsOf(update, at, entries),
      { returnDocument: 'after', projection: this.projection, ignoreUndefined: true },
    );
    if (stored) this.outboxes.publish(document._id, entries);
    else if (entries.length) await this.#assertUnmatched(filter);
    return stored as S | null;
  }

  /** Puts the new document in the place of a tombstone whose outbox still has entries. */
  async #replaceTombstone(created: T, outbox: readonly OutboxEntry[]): Promise<boolean> {
    const outboxes = { $concatArrays: ['$outbox', { $literal: outbox }] };
    const filter: Filter = { _id: created._id, removedAt: { $exists: true } };
    const { matchedCount } = await this.outboxes.collection.updateOne({ ...filter, ...HAS_ROOM }, [
      { $replaceWith: { ...literalsOf(created), outbox: outboxes } },
    ]);
    if (matchedCount === 0) await this.#assertUnmatched(filter);
    return matchedCount > 0;
  }

  /**
   * Throws 503 `BUSY` for a document that matches the filter of a write which has missed: only a full outbox
   * made the write miss.
   */
  async #assertUnmatched(filter: Filter): Promise<void> {
    const full = await this.outboxes.collection.findOne(filter, { projection: { _id: 1 } });
    if (full) throw busy('Earlier changes of this resource are not recorded yet.');
  }

  /** The event of a change from `before` to `after`. Both have the fields that reads return. */
  #outgoing(before: object | null, after: object | null): OutboxMessage[] {
    const { outgoing } = this.#options;
    return outgoingMessages(outgoing, before as T | null, after as T | null);
  }

  #resourceOf(document: Pick<T, '_id'>): AuditedResource {
    const { resourceOf } = this.#options;
    if (resourceOf) return resourceOf(document as T);
    const { _id, workspaceId = null } = document as { _id: T['_id']; workspaceId?: number };
    return { id: _id, workspaceId };
  }

  /** Matches the document that was read. A document that an earlier version has stored has no revision. */
  #revisionOf(current: S): Filter {
    const { incarnation } = this.#options;
    const { _id, revision = null } = current as { _id: T['_id']; revision?: number | null };
    const told = incarnation ? { [incarnation]: (current as unknown as T)[incarnation] } : {};
    return { _id, revision, ...told } as unknown as Filter;
  }

  #shownFields = (fields: readonly string[]): string[] =>
    fields.filter((field) => !(field in this.projection));
}

/**
 * The time of a change: the present time, but later than what the change rests on. Clocks of processes differ, and the times
 * of the changes of a document are in the order of the changes.
 */
const timeAfter = (current: object, { after }: ChangeContext): Date => {
  const updatedAt = 'updatedAt' in current ? current.updatedAt : undefined;
  const seen = [updatedAt, after].flatMap((time) => (time instanceof Date ? [time] : []));
  return new Date(Math.max(Date.now(), ...seen.map((time) => time.getTime() + 1)));
};

/** The fields as an update by a pipeline takes them. */
const literalsOf = (fields: object): Record<string, { $literal: unknown }> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, { $literal: value }]),
  );
