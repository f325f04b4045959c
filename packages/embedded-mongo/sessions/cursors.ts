import type { Document } from '../bson/values.ts';
import { fail, MongoError } from '../errors.ts';
import { isMissingTable } from '../storage/connection.ts';
import type { OperationContext } from '../storage/context.ts';
import { PORTION_MS } from '../storage/scan.ts';
import { sessionOf } from './session-info.ts';

/** The command that reads a cursor. */
interface CursorReader {
  readonly body: Document;
  readonly database: string;
  readonly context: OperationContext;
  /** Yields to other commands. Throws when the command must end. */
  rest(): Promise<void>;
}

/** A reply with documents of a cursor, which are sent as they are stored. */
export class CursorReply {
  readonly field: 'firstBatch' | 'nextBatch';
  readonly batch: Buffer[];
  readonly id: bigint;
  readonly namespace: string;

  constructor(field: 'firstBatch' | 'nextBatch', batch: Buffer[], id: bigint, namespace: string) {
    this.field = field;
    this.batch = batch;
    this.id = id;
    this.namespace = namespace;
  }
}

/** Documents of a first batch without a batch size, as in MongoDB. The rest follows by getMore. */
export const FIRST_BATCH = 101;
/** Bytes of the documents of one reply. Further documents follow by getMore. */
const MAX_BATCH_BYTES = 16_777_216;
/** Documents of one reply, which is written at once. Further documents follow by getMore. */
const MAX_BATCH = 10_000;
/** Documents that are read at a time. Others may have their turns in between. */
const PULLED = 256;
/** Milliseconds that an unused cursor is kept. Then it is closed. */
const IDLE_MS = 600_000;

/** A source of encoded documents in portions. A portion smaller than was asked for, even an empty one, is not the end. */
export interface DocumentSource {
  pull(limit: number): Buffer[];
  readonly done: boolean;
}

interface Cursor {
  source: DocumentSource;
  namespace: string;
  transaction: object | undefined;
  session: string | undefined;
  /** Documents that were read from the source and not sent yet. */
  waiting: Buffer[];
  used: number;
  /** Whether a getMore reads the cursor. */
  isRead: boolean;
}

/** The open cursors of all clients. */
export class Cursors {
  private readonly open = new Map<bigint, Cursor>();
  private next = BigInt(Date.now()) * 1000n;

  async first(
    reader: CursorReader,
    source: DocumentSource,
    batchSize: number,
    namespace: string,
    single = false,
  ): Promise<CursorReply> {
    const cursor: Cursor = {
      source,
      namespace,
      transaction: reader.context.transaction,
      session: sessionOf(reader.body)?.session,
      waiting: [],
      used: 0,
      isRead: false,
    };
    const size = single ? batchSize : inOneReply(batchSize);
    const batch = await fill(cursor, size, () => reader.rest());
    if (single || ended(cursor)) return new CursorReply('firstBatch', batch, 0n, namespace);
    this.next += 1n + BigInt(Math.floor(Math.random() * 1000));
    cursor.used = Date.now();
    this.open.set(this.next, cursor);
    return new CursorReply('firstBatch', batch, this.next, namespace);
  }

  async more(reader: CursorReader, id: bigint, batchSize: number): Promise<CursorReply> {
    const cursor = this.open.get(id);
    if (!cursor || cursor.transaction !== reader.context.transaction) {
      return fail('CursorNotFound', `cursor id ${id} not found`);
    }
    checkOwner(reader, id, cursor);
    if (reader.body.has('maxTimeMS'))
      fail('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
    if (cursor.isRead) fail('CursorInUse', `cursor id ${id} is already in use`);
    const rest = async (): Promise<void> => {
      await reader.rest();
      if (!this.open.has(id)) fail('CursorKilled', `cursor id ${id} was killed while it was read`);
    };
    cursor.isRead = true;
    try {
      const batch = await fill(cursor, inOneReply(batchSize), rest);
      const isEnded = ended(cursor);
      if (isEnded) this.open.delete(id);
      return new CursorReply('nextBatch', batch, isEnded ? 0n : id, cursor.namespace);
    } catch (error) {
      this.open.delete(id);
      if (!isMissingTable(error)) throw error;
      throw new MongoError('QueryPlanKilled', `collection dropped. ${cursor.namespace}`);
    } finally {
      cursor.isRead = false;
      cursor.used = Date.now();
    }
  }

  /** Closes a cursor. A getMore that reads it ends with an error. */
  kill(id: bigint): boolean {
    return this.open.delete(id);
  }

  /** Closes the cursors of a transaction that has ended. */
  endTransaction(transaction: object): void {
    for (const [id, cursor] of this.open)
      if (cursor.transaction === transaction) this.open.delete(id);
  }

  sweep(now = Date.now()): void {
    for (const [id, { used, isRead }] of this.open)
      if (!isRead && now - used > IDLE_MS) this.open.delete(id);
  }
}

/** Throws when a cursor is read in another collection or session than that in which it was opened. */
function checkOwner(reader: CursorReader, id: bigint, { namespace, session }: Cursor): void {
  const asked = `${reader.database}.${String(reader.body.get('collection'))}`;
  if (asked !== namespace) {
    fail(
      'Unauthorized',
      `Requested getMore on namespace '${asked}', but cursor belongs to a different namespace ${namespace}`,
    );
  }
  const own = sessionOf(reader.body)?.session;
  if (own === session) return;
  if (session === undefined)
    fail(50736, `Cannot run getMore on cursor ${id}, which was not created in a session, in one`);
  if (own === undefined)
    fail(
      50737,
      `Cannot run getMore on cursor ${id}, which was created in a session, without an lsid`,
    );
  fail(50738, `Cannot run getMore on cursor ${id}, which was created in another session`);
}

const ended = ({ waiting, source }: Cursor): boolean => waiting.length === 0 && source.done;

const inOneReply = (batchSize: number): number => Math.min(batchSize, MAX_BATCH);

async function fill(
  cursor: Cursor,
  batchSize: number,
  rest: () => Promise<void>,
): Promise<Buffer[]> {
  const batch: Buffer[] = [];
  let bytes = 0;
  let end = performance.now() + PORTION_MS;
  while (batch.length < batchSize) {
    if (cursor.waiting.length === 0) {
      if (cursor.source.done) break;
      cursor.waiting = cursor.source.pull(Math.min(batchSize - batch.length, PULLED)).reverse();
      if (performance.now() > end) {
        await rest();
        end = performance.now() + PORTION_MS;
      }
      if (cursor.waiting.length === 0) continue;
    }
    const next = cursor.waiting.at(-1) as Buffer;
    if (batch.length > 0 && bytes + next.length > MAX_BATCH_BYTES) break;
    cursor.waiting.pop();
    batch.push(next);
    bytes += next.length;
  }
  return batch;
}

/** Makes a source of documents that are all in memory. */
export function listed(documents: Buffer[]): DocumentSource {
  let at = 0;
  return {
    get done() {
      return at >= documents.length;
    },
    pull(limit) {
      at += limit;
      return documents.slice(at - limit, at);
    },
  };
}
