import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { type Document, Double, toDocument } from '../bson/values.ts';
import { expireDocuments } from '../commands/expiry.ts';
import { checkCommand } from '../commands/fields/check-command.ts';
import { writeConcernErrorOf } from '../commands/fields/write-concern.ts';
import { refuseCommand } from '../commands/refused.ts';
import { COMMANDS } from '../commands/registry.ts';
import { type Command, type EngineParts, Request } from '../commands/request.ts';
import { fail, MongoError, noSuchTransaction, snapshotUnavailable } from '../errors.ts';
import { CursorReply, Cursors } from '../sessions/cursors.ts';
import { GroupCommit } from '../sessions/group-commit.ts';
import { LeftoverRemoval } from '../sessions/leftover-removal.ts';
import { UNFINISHED } from '../sessions/retries.ts';
import { type SessionInfo, sessionOf } from '../sessions/session-info.ts';
import { Sessions } from '../sessions/sessions.ts';
import { asMongoError, type Durability, isMissingTable } from '../storage/connection.ts';
import { Store } from '../storage/store.ts';
import { encodeCursorReply } from './cursor-reply.ts';
import { checkReadConcern } from './read-concern.ts';

const SWEEP_MS = 60_000;

interface EngineOptions {
  file: string;
  durability: Durability;
}

/** Carries out commands on one database file. */
export class Engine implements EngineParts {
  readonly store: Store;
  readonly cursors = new Cursors();
  readonly sessions: Sessions;
  readonly group: GroupCommit;
  /** The address of this server for clients, which `hello` answers. */
  address = '127.0.0.1:27017';
  private readonly retryable = new Map<string, Promise<Buffer>>();
  private readonly timer: NodeJS.Timeout;
  readonly leftovers: LeftoverRemoval;

  constructor({ file, durability }: EngineOptions) {
    this.store = new Store(file, durability);
    this.sessions = new Sessions(this.store, this.cursors);
    this.group = new GroupCommit(this.store.main, this.sessions.lock);
    this.leftovers = new LeftoverRemoval(this.store, this.sessions);
    this.leftovers.start();
    this.timer = setInterval(() => {
      // A failed sweep, for example on a full disk, is tried again by the next sweep.
      this.sweep().catch(() => {});
    }, SWEEP_MS).unref();
  }

  /** Executes a command and returns the encoded answer. Every error becomes an answer. */
  async execute(body: Document, sequences: ReadonlyMap<string, Buffer[]>): Promise<Buffer> {
    try {
      return await this.dispatch(body, sequences);
    } catch (error) {
      // A group that this command has failed lasts until its flush. The client's next command must not meet it.
      await this.group.pending?.catch(() => {});
      return encodeDocument(errorReply(error));
    }
  }

  private dispatch(body: Document, sequences: ReadonlyMap<string, Buffer[]>): Promise<Buffer> {
    const [name = ''] = body.keys();
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) return refuseCommand(name);
    const writes =
      typeof command.writes === 'function' ? command.writes(body) : command.writes === true;
    checkCommand(name, command, body);
    const session = sessionOf(body);
    const inTransaction = body.get('autocommit') === false;
    checkReadConcern(body, inTransaction);
    if (inTransaction)
      return this.committed(this.inTransaction(command, body, sequences, session, writes));
    if (writes && session?.number !== undefined)
      return this.committed(this.once(command, body, sequences, session));
    const request = new Request(this, body, sequences, this.store.context());
    return writes ? this.committed(this.run(command, request)) : this.read(command, request);
  }

  /** Waits for the commit of the open group. */
  private async committed(reply: Promise<Buffer>): Promise<Buffer> {
    const answer = await reply;
    const { pending } = this.group;
    if (pending) await pending;
    return answer;
  }

  /**
   * Executes a read. It may see writes of a group that is rolled back, for example on a full disk: the read is then
   * executed again. The next documents of a cursor cannot be read again.
   */
  private async read(command: Command, request: Request): Promise<Buffer> {
    for (let repeats = 0; ; repeats++) {
      const reply = await command.run(request);
      const answer = replyOf(reply, request.body);
      const { pending } = this.group;
      try {
        if (pending) await pending;
        return answer;
      } catch (error) {
        const isOfCursor = reply instanceof CursorReply;
        if (isOfCursor) this.cursors.kill(reply.id);
        if (repeats === MAX_REPEATS || (isOfCursor && reply.field === 'nextBatch')) throw error;
      }
    }
  }

  private async run(command: Command, request: Request): Promise<Buffer> {
    return replyOf(await command.run(request), request.body);
  }

  /** Executes a retryable write once, also when the client sends it several times. */
  private async once(
    command: Command,
    body: Document,
    sequences: ReadonlyMap<string, Buffer[]>,
    info: SessionInfo,
  ): Promise<Buffer> {
    // All waiting attempts are woken together, and only one of them may go on.
    for (;;) {
      const running = this.retryable.get(info.session);
      if (!running) break;
      await running.catch(() => {});
    }
    const known = this.sessions.retries.find(info);
    if (this.sessions.retries.isTransaction(info))
      return fail(
        'InvalidOptions',
        'Must specify autocommit=false on all operations of a multi-statement transaction.',
      );
    const request = new Request(this, body, sequences, this.store.context());
    if (known?.kind === UNFINISHED) request.resumed = decodeDocument(known.reply);
    else if (known) return answerOf(decodeDocument(known.reply), body);
    const work = this.run(command, request);
    this.retryable.set(info.session, work);
    try {
      return await work;
    } finally {
      if (this.retryable.get(info.session) === work) this.retryable.delete(info.session);
    }
  }

  private async inTransaction(
    command: Command,
    body: Document,
    sequences: ReadonlyMap<string, Buffer[]>,
    info: SessionInfo | undefined,
    writes: boolean,
  ): Promise<Buffer> {
    const [name = ''] = body.keys();
    if (!info || info.number === undefined)
      return fail('InvalidOptions', 'A transaction needs lsid and txnNumber');
    const request = new Request(this, body, sequences, this.store.context());
    if (name === 'commitTransaction') {
      await this.sessions.commit(info, request.durable);
      return answerOf(new Map(), body);
    }
    if (name === 'abortTransaction') {
      this.sessions.abortOf(info);
      return answerOf(new Map(), body);
    }
    const transaction = await this.sessions.enter(
      info,
      { starting: body.get('startTransaction') === true, writes },
      request.deadline,
    );
    try {
      if (!command.inTransaction) {
        fail(
          'OperationNotSupportedInTransaction',
          `Cannot run '${name}' in a multi-document transaction.`,
        );
      }
      const reply = await this.run(
        command,
        new Request(this, body, sequences, transaction.context),
      );
      if (transaction.over) throw noSuchTransaction(transaction.number);
      return reply;
    } catch (error) {
      const shown = isMissingTable(error) ? snapshotUnavailable() : asMongoError(error);
      throw this.sessions.failed(transaction, shown);
    } finally {
      this.sessions.leave(transaction);
    }
  }

  private async sweep(): Promise<void> {
    this.cursors.sweep();
    this.leftovers.start();
    if (this.sessions.lock.owner !== undefined) return;
    this.sessions.retries.sweep();
    await expireDocuments(this);
  }

  close(): void {
    clearInterval(this.timer);
    this.group.flush();
    this.sessions.close();
    this.store.close();
  }
}

/** Repetitions of one read whose group was rolled back. Beyond them the read fails with the error of the group. */
const MAX_REPEATS = 10;

const replyOf = (reply: Document | CursorReply, command: Document): Buffer =>
  reply instanceof CursorReply
    ? encodeCursorReply(reply, writeConcernErrorOf(command))
    : answerOf(reply, command);

const ONE = new Double(1);
const ZERO = new Double(0);

/** Encodes the answer of a command that has succeeded, with the error of its write concern if there is one. */
function answerOf(reply: Document, command: Document): Buffer {
  const writeConcernError = writeConcernErrorOf(command);
  if (writeConcernError) reply.set('writeConcernError', writeConcernError);
  return encodeDocument(reply.set('ok', ONE));
}

function errorReply(thrown: unknown): Document {
  const error = asMongoError(thrown);
  if (!(error instanceof MongoError)) {
    const message = error instanceof Error ? error.message : String(error);
    return toDocument({ ok: ZERO, errmsg: message, code: 1, codeName: 'InternalError' });
  }
  const reply = toDocument({
    ok: ZERO,
    errmsg: error.message,
    code: error.code,
    codeName: error.codeName,
  });
  for (const [name, value] of error.details ?? []) reply.set(name, value);
  if (error.labels.length > 0) reply.set('errorLabels', error.labels);
  return reply;
}
