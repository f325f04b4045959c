import { setTimeout as sleep } from 'node:timers/promises';
import type { Model, mongo } from 'mongoose';
import { etagOf, matchesStrongly } from '../../contract/etag.ts';
import { PreconditionFailed, Problem } from '../../contract/problem.ts';
import type { ChangedDocument, OutboxEntry } from '../../models/changed-document.ts';
import { type BatchedFind, batchFind } from '../database/batch-loader.ts';
import { batchInsert } from '../database/batched-inserts.ts';
import { isDuplicateKey } from '../database/database.ts';
import { nextId } from '../database/ids.ts';
import type { ChangeContext } from './change-context.ts';
import { busy, DocumentQueue } from './document-queue.ts';
import { type AuditedResource, type OutboxMessage, outboxOf } from './outbox.ts';
import { fieldsOf, operatorsOf, type Update } from './update.ts';

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

export interface StoreOptions<T extends ChangedDocument, H extends keyof T & string> {
  /** Fields that reads leave out and the audit log does not name. */
  hidden?: readonly H[];
  /** Paths within fields that reads leave out; the audit log names the field all the same. */
  unread?: readonly string[];
  /** The 404 of a document that has gone. */
  missing: (id: never) => Problem;
  /** What the audit log calls the document; its `_id` and its `workspaceId` unless given. */
  resourceOf?: (document: T) => AuditedResource;
  /**
   * The field that tells a document from an earlier one with the same id, for ids that are given again. A
   * write then counts only for the document that was read, since revisions begin anew.
   */
  incarnation?: keyof T & string;
  /** Fields that a tombstone gets, for a unique index that is not partial: without them all tombstones are equal there. */
  tombstone?: (id: T['_id']) => Partial<Omit<T, keyof ChangedDocument>>;
  /** Whether a new document is inserted alone: see `batchInsert`. */
  isLarge?: (document: T) => boolean;
}

type StoreFilter = mongo.Filter<ChangedDocument>;

/** A change that has been written, for the service that carries on what follows it. */
export interface WrittenChange {
  _id: number | string;
  entries: readonly OutboxEntry[];
  isCreated: boolean;
  isRemoved: boolean;
}

/** The one way to write the documents of a model. */
export class ChangeStore<T extends ChangedDocument, S extends Pick<T, '_id' | 'revision'>> {
  readonly collection: mongo.Collection<ChangedDocument>;
  /** The projection of every read. */
  readonly projection: Readonly<Record<string, 0>>;
  /** Finds a document by its id; finds of one turn go together. A tombstone counts as missing. */
  readonly find: BatchedFind<T['_id'], S>;
  /** Hears of each change; the carriers of this process take them in turn. */
  readonly listeners = new Set<(written: WrittenChange) => void>();
  readonly #options: StoreOptions<T, keyof T & string>;
  readonly #insert: (document: T) => Promise<void>;
  readonly #queue = new DocumentQueue<S>();

  constructor(model: Model<T>, options: StoreOptions<T, keyof T & string>) {
    this.#options = options;
    this.collection = model.collection as unknown as mongo.Collection<ChangedDocument>;
    const hidden = [...(options.hidden ?? []), ...(options.unread ?? []), 'outbox'];
    this.projection = Object.fromEntries(hidden.map((field) => [field, 0] as const));
    this.find = batchFind<S>(model, { projection: this.projection });
    this.#insert = batchInsert<T>(model, options.isLarge ?? (() => false));
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
    const outgoing = { at: new Date(), messages: messagesOf(created) };
    const outbox = outboxOf(change, this.#resourceOf(created), outgoing);
    try {
      await this.#insert({ ...created, outbox });
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      if (_id === change.reservedId) return this.#readAgain(_id);
      if (!(await this.#replaceTombstone(created, outbox))) throw error;
    }
    // An id that is given again may have entries of an earlier document, which are not dropped as a whole.
    const isCreated = this.#options.incarnation === undefined;
    this.#tell({ _id, entries: outbox, isCreated, isRemoved: false });
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
    return this.#write(this.#revisionOf(current), current, update, change);
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
    const filter = { ...condition, _id, removedAt: null };
    return this.#write(filter as unknown as StoreFilter, { _id }, update, change);
  }

  async #write(
    filter: StoreFilter,
    document: Pick<T, '_id'>,
    update: Update<T>,
    change: ChangeContext,
  ): Promise<S | null> {
    const at = new Date();
    const changed = update.changed ?? this.#shownFields(fieldsOf(update));
    const resource = update.resource ?? this.#resourceOf(document);
    const { messages } = update;
    const entries = outboxOf(change, resource, { at, changed, messages });
    const stored = await this.collection.findOneAndUpdate(
      filter,
      operatorsOf(update, at, entries),
      { returnDocument: 'after', projection: this.projection, ignoreUndefined: true },
    );
    if (stored) this.#tell({ _id: document._id, entries, isCreated: false, isRemoved: false });
    return stored as S | null;
  }

  /** Puts the new document in the place of a tombstone whose outbox is not carried on yet. */
  async #replaceTombstone(created: T, outbox: readonly OutboxEntry[]): Promise<boolean> {
    const outboxes = { $concatArrays: ['$outbox', { $literal: outbox }] };
    const { matchedCount } = await this.collection.updateOne(
      { _id: created._id, removedAt: { $exists: true } },
      [{ $replaceWith: { ...literalsOf(created), outbox: outboxes } }],
    );
    return matchedCount > 0;
  }

  /**
   * Puts a tombstone in the document's place if the document still has the revision of `current`; null
   * otherwise. The tombstone has the outbox and the fields of the option `tombstone`; the carrier deletes it.
   */
  async tryRemove(
    current: S,
    change: ChangeContext,
    messages?: readonly OutboxMessage[],
  ): Promise<true | null> {
    const at = new Date();
    const entries = outboxOf(change, this.#resourceOf(current), { at, messages });
    const outbox = { $concatArrays: [{ $ifNull: ['$outbox', []] }, { $literal: entries }] };
    const revision = (current.revision ?? 0) + 1;
    const fields = literalsOf(this.#options.tombstone?.(current._id) ?? {});
    const tombstone = { ...fields, _id: '$_id', revision, removedAt: at, outbox };
    const { matchedCount } = await this.collection.updateOne(this.#revisionOf(current), [
      { $replaceWith: tombstone },
    ]);
    if (matchedCount === 0) return null;
    this.#tell({ _id: current._id, entries, isCreated: false, isRemoved: true });
    return true;
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
    if (!found || found.removedAt) throw this.#options.missing(_id as never);
    return found as unknown as S;
  }

  #resourceOf(document: Pick<T, '_id'>): AuditedResource {
    const { resourceOf } = this.#options;
    if (resourceOf) return resourceOf(document as T);
    const { _id, workspaceId = null } = document as { _id: T['_id']; workspaceId?: number };
    return { id: _id, workspaceId };
  }

  /** A document that an earlier version has stored has no revision. */
  #revisionOf(current: S): StoreFilter {
    const { incarnation } = this.#options;
    const { _id, revision = null } = current as { _id: T['_id']; revision?: number | null };
    const told = incarnation ? { [incarnation]: (current as unknown as T)[incarnation] } : {};
    return { _id, revision, ...told } as unknown as StoreFilter;
  }

  #shownFields = (fields: readonly string[]): string[] =>
    fields.filter((field) => !(field in this.projection));

  #tell(written: WrittenChange): void {
    const [listener] = this.listeners; // several brokers of a process: one of them carries it on
    if (written.entries.length || written.isRemoved) listener?.(written);
  }
}

/** The fields as an update by a pipeline takes them. */
const literalsOf = (fields: object): Record<string, { $literal: unknown }> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, { $literal: value }]),
  );

/** How the interface shows a document: what its ETag is made of. */
type Show<S> = (current: S) => unknown;

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

const callerOf = ({ actor }: ChangeContext): string => `${actor.type}:${actor.id ?? actor.name}`;

const newer = <S extends { revision: number }>(one: S, other: S | undefined): S =>
  other && other.revision > one.revision ? other : one;

async function assertMatches<S>(
  current: S,
  { ifMatch, operation }: ChangeContext,
  show: Show<S> | undefined,
): Promise<void> {
  if (ifMatch === undefined) return;
  if (!show) throw new TypeError(`${operation} does not say of what its ETag is`);
  if (matchesStrongly(ifMatch, etagOf(await show(current)))) return;
  throw new Problem(
    PreconditionFailed,
    'The resource is not the one that If-Match names any more: read it again.',
  );
}
