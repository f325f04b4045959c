import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from 'mongoose';
import type { ChangedDocument } from '../../models/changed-document.ts';
import { type BatchedFind, batchFind } from '../database/batch-loader.ts';
import { isDuplicateKey } from '../database/database.ts';
import { nextId } from '../database/ids.ts';
import type { ChangeContext } from './change-context.ts';
import { busy, DocumentQueue } from './document-queue.ts';
import { type Act, DocumentWriter } from './document-writer.ts';
import type { OutboxMessage } from './outbox.ts';
import type { OutboxSource } from './outbox-source.ts';
import { assertMatches, type Show } from './precondition.ts';
import type { StoreOptions } from './store-options.ts';
import type { Update } from './update.ts';

/** Times that a change is decided; each miss means that another process has changed the document meanwhile. */
const MAX_ATTEMPTS = 10;
/** Milliseconds of the longest pause before the second attempt; each further pause may be twice as long. */
const BACKOFF_MS = 4;

type Hidden<H> = H | 'outbox' | 'removedAt';
/** A document as it is read: without the fields that the store hides. */
export type Shown<T, H extends keyof T = never> = Omit<T, Hidden<H>>;
/** A document as a use case makes it. The store gives the id, unless the use case has drawn it. */
export type New<T extends ChangedDocument> = Omit<
  T,
  '_id' | 'revision' | 'outbox' | 'removedAt'
> & {
  _id?: T['_id'];
};

/** The one way to write the documents of a model. */
export class ChangeStore<T extends ChangedDocument, S extends Pick<T, '_id' | 'revision'>>
  implements OutboxSource
{
  readonly collection: OutboxSource['collection'];
  /** The projection of every read. */
  readonly projection: Readonly<Record<string, 0>>;
  /** Finds a document by its id; finds of one turn go together. A tombstone counts as missing. */
  readonly find: BatchedFind<T['_id'], S>;
  readonly listeners: OutboxSource['listeners'];
  readonly #missing: StoreOptions<T, keyof T & string>['missing'];
  readonly #writer: DocumentWriter<T, S>;
  readonly #queue = new DocumentQueue<S>();

  constructor(model: Model<T>, options: StoreOptions<T, keyof T & string>) {
    this.#missing = options.missing;
    this.#writer = new DocumentWriter(model, options);
    this.collection = this.#writer.outboxes.collection;
    this.projection = this.#writer.projection;
    this.listeners = this.#writer.outboxes.listeners;
    this.find = batchFind<S>(model, { projection: this.projection });
  }

  /**
   * Stores a new document. A document that an earlier attempt of the request has stored with the reserved
   * id is answered as it is. An id that the use case gives may be that of a tombstone.
   */
  async create(
    document: New<T>,
    change: ChangeContext,
    messagesOf: (created: T) => readonly OutboxMessage[] = () => [],
  ): Promise<S> {
    const _id = document._id ?? change.reservedId ?? (await nextId(this.collection.collectionName));
    const created = { ...document, _id, revision: 1 } as unknown as T;
    try {
      await this.#writer.insert(created, change, messagesOf(created));
    } catch (error) {
      if (_id !== change.reservedId || !isDuplicateKey(error)) throw error;
      if (isDuplicateKey(error, '_id_')) return this.#readAgain(_id);
      const earlier = await this.find(_id); // the error may name another index that the earlier document is in
      if (earlier) return earlier;
      throw error;
    }
    return created as unknown as S;
  }

  /**
   * Changes a document by what `decide` answers of it; nothing is written when the answer is empty. When
   * another change came first, the document is read again and decided again. Throws the 404 of a document
   * that has gone, 412 when the request names another ETag than that of what `show` answers, 503 `BUSY`
   * when too many changes meet.
   */
  async change(
    current: S,
    decide: (current: S) => Update<T> | null | Promise<Update<T> | null>,
    change: ChangeContext,
    show?: Show<S>,
  ): Promise<S> {
    return this.#queue.run(current._id, callerOf(change), (line) =>
      this.#repeat(newer(current, line.latest), change, show, async (now) => {
        const update = await decide(now);
        const stored = update ? await this.tryChange(now, update, change) : now;
        if (stored) line.latest = stored;
        return stored;
      }),
    );
  }

  /** Removes a document. `check` refuses by throwing; it and `show` are as in `change`. */
  async remove(
    current: S,
    change: ChangeContext,
    { show, check, messages }: Removal<S> = {},
  ): Promise<void> {
    await this.#queue.run(current._id, callerOf(change), (line) =>
      this.#repeat(newer(current, line.latest), change, show, async (now) => {
        await check?.(now);
        return this.tryRemove(now, change, messages);
      }),
    );
  }

  /** Writes the change if the document still has the revision of `current`; null otherwise. */
  tryChange(current: S, update: Update<T>, change: ChangeContext): Promise<S | null> {
    return this.#writer.updateRevision(current, update, change);
  }

  /**
   * Writes a change that does not depend on what the document held, without a read before it. Null when
   * there is no such document, or `condition` does not hold of it. Does not know of `If-Match`.
   */
  changeWhere(
    _id: T['_id'],
    condition: Partial<Record<keyof T, unknown>>,
    update: Update<T>,
    change: ChangeContext,
  ): Promise<S | null> {
    return this.#writer.updateWhere(_id, condition, update, change);
  }

  /**
   * Records an act that changes no field of the document, such as a replay, in the audit log. False when there is no such
   * document, or the act's condition does not hold of it. Does not know of `If-Match`.
   */
  record(current: Pick<T, '_id'>, act: Act<T>, change: ChangeContext): Promise<boolean> {
    return this.#writer.record(current, act, change);
  }

  /** Removes the document if it still has the revision of `current`; null otherwise. */
  tryRemove(
    current: S,
    change: ChangeContext,
    messages?: readonly OutboxMessage[],
  ): Promise<true | null> {
    return this.#writer.remove(current, change, messages);
  }

  async #repeat<R>(
    current: S,
    change: ChangeContext,
    show: Show<S> | undefined,
    attempt: (current: S) => Promise<R | null>,
  ): Promise<R> {
    let now = current;
    for (let tries = 1; ; tries++) {
      await assertMatches(now, change, show);
      const result = await attempt(now);
      if (result !== null) return result;
      if (tries === MAX_ATTEMPTS) throw busy();
      if (tries > 1) await sleep(Math.random() * BACKOFF_MS * 2 ** tries);
      now = await this.#readAgain(current._id);
    }
  }

  async #readAgain(_id: T['_id']): Promise<S> {
    const { projection } = this;
    const found = await this.collection.findOne({ _id }, { projection });
    if (!found || found.removedAt) throw this.#missing(_id as never);
    return found as unknown as S;
  }
}

interface Removal<S> {
  show?: Show<S>;
  check?: (current: S) => Promise<void> | void;
  messages?: readonly OutboxMessage[];
}

/** Makes the store of a model, once, where its module is loaded. Ids come from the sequence of the collection's name. */
export const changesOf = <T extends ChangedDocument, H extends keyof T & string = never>(
  model: Model<T>,
  options: StoreOptions<T, H>,
): ChangeStore<T, Shown<T, H> & Pick<T, '_id' | 'revision'>> => new ChangeStore(model, options);

/** The caller of a change, for the fair turns of a queue. */
export const callerOf = ({ actor }: ChangeContext): string =>
  `${actor.type}:${actor.id ?? actor.name}`;

const newer = <S extends { revision: number }>(one: S, other: S | undefined): S =>
  other && other.revision > one.revision ? other : one;
