import { mongo } from 'mongoose';
import { RunModel } from '../../../models/run.model.ts';
import { takeOver } from '../../../services/runs/worker/take-over.ts';

/** What becomes of one command with writes of several runs. */
export type Fault =
  | { kind: 'none' }
  /** The connection breaks before the command reaches the database. */
  | { kind: 'lost command' }
  /** The command is carried out, and its answer is lost. */
  | { kind: 'lost answer' }
  /** The command is carried out, and the read that tells its outcome fails. */
  | { kind: 'lost read' }
  /** The command is carried out where it has arrived only. */
  | { kind: 'write concern not met' }
  /** Every second write fails, by an outage or for ever. */
  | { kind: 'some fail'; odd: boolean; code: number }
  /** The first write fails, and those after the second are not reached. */
  | { kind: 'some not reached' }
  /** The command fails as a whole, after every second write, and not by an outage. */
  | { kind: 'refused'; odd: boolean }
  /** Every second run is taken over by another worker before the command. */
  | { kind: 'overtaken'; odd: boolean }
  /** The command is carried out, its answer is lost, and every second run is taken over. */
  | { kind: 'lost answer, overtaken'; odd: boolean };

/** Outage: InterruptedDueToReplStateChange. For ever: BadValue. */
export const AWAY = 11602;
export const REFUSED = 2;
const WRITE_CONCERN_TIMEOUT = 64;

type Operation = { updateOne: { filter: { _id: number } } };
type BulkWrite = (operations: readonly Operation[], options: object) => Promise<unknown>;

const RESULT = { matchedCount: 0, insertedCount: 0, getWriteConcernError: () => undefined };
/** As the driver makes it. */
export const bulkError = (error: object, result: object = RESULT) =>
  new mongo.MongoBulkWriteError(error as never, result as never);
const networkError = () => bulkError(new mongo.MongoNetworkError('the connection broke'));
const statementErrors = (indexes: readonly number[], code: number, matchedCount: number) => {
  const writeErrors = indexes.map((index) => ({ index, code, errmsg: 'no' }));
  return bulkError({ message: 'no', code, writeErrors }, { ...RESULT, matchedCount });
};

/** The journal of each run as another worker found it. */
export type TakenOver = Map<number, string[]>;

/** Commands with updates of runs meet the faults, one after another, and none after the last. */
export class FailingWrites {
  readonly takenOver: TakenOver = new Map();
  readonly #faults: Fault[];
  readonly #write = RunModel.collection.bulkWrite.bind(RunModel.collection) as never as BulkWrite;

  constructor(faults: readonly Fault[]) {
    this.#faults = [...faults];
    jest
      .spyOn(RunModel.collection, 'bulkWrite')
      .mockImplementation(((operations: readonly Operation[], options: object) =>
        this.#meet(this.#faults.shift() ?? { kind: 'none' }, operations, options)) as never);
  }

  async #meet(fault: Fault, operations: readonly Operation[], options: object): Promise<unknown> {
    const write = async (some: readonly Operation[]): Promise<number> => {
      if (!some.length) return 0;
      return ((await this.#write(some, options)) as { matchedCount: number }).matchedCount;
    };
    const half = ({ odd }: { odd: boolean }) =>
      operations.map((_, at) => at).filter((at) => at % 2 === Number(odd));
    const but = (left: readonly number[]) => operations.filter((_, at) => !left.includes(at));
    switch (fault.kind) {
      case 'none':
        return this.#write(operations, options);
      case 'lost command':
        throw networkError();
      case 'lost answer':
        await write(operations);
        throw networkError();
      case 'lost read':
        jest.spyOn(RunModel, 'find').mockImplementationOnce(() => {
          throw new mongo.MongoNetworkError('the connection broke');
        });
        return this.#write(operations, options);
      case 'write concern not met': {
        const matchedCount = await write(operations);
        const error = { code: WRITE_CONCERN_TIMEOUT, message: 'waiting for replication timed out' };
        throw bulkError(error, { ...RESULT, matchedCount, getWriteConcernError: () => error });
      }
      case 'some fail': {
        const failed = half(fault);
        const matched = await write(but(failed));
        if (!failed.length) return { ...RESULT, matchedCount: matched };
        throw statementErrors(failed, fault.code, matched);
      }
      case 'some not reached': {
        const matched = await write(operations.slice(1, 2));
        throw statementErrors([0], AWAY, matched);
      }
      case 'refused':
        await write(but(half(fault)));
        throw bulkError(new mongo.MongoServerError({ message: 'no', code: REFUSED }));
      case 'overtaken':
        await this.#overtake(half(fault).flatMap((at) => operations[at] ?? []));
        return this.#write(operations, options);
      case 'lost answer, overtaken':
        await write(operations);
        await this.#overtake(half(fault).flatMap((at) => operations[at] ?? []));
        throw networkError();
    }
  }

  async #overtake(operations: readonly Operation[]): Promise<void> {
    for (const { updateOne } of operations) {
      const { _id } = updateOne.filter;
      if (!(await takeOver('me', _id))) continue;
      const claim = { $set: { worker: 'another' }, $unset: { ready: 1 }, $inc: { fence: 1 } };
      await RunModel.updateOne({ _id }, claim as never);
      const { journal } = await RunModel.findById(_id).orFail().lean();
      this.takenOver.set(
        _id,
        journal.map(({ key }) => key),
      );
    }
  }
}
