import { mongo } from 'mongoose';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';

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
  /** Every second run is taken by somebody else before the command. */
  | { kind: 'overtaken'; odd: boolean; by: Overtaker }
  /** The command is carried out, its answer is lost, and every second run is taken by somebody else. */
  | { kind: 'lost answer, overtaken'; odd: boolean; by: Overtaker };

/** Another worker that claims the run and writes so much, or a process that cancels it without a claim. */
export type Overtaker = 'claims' | 'pushes' | 'ends' | 'cancels';

/** Outage: InterruptedDueToReplStateChange. For ever: BadValue. */
export const AWAY = 11602;
export const REFUSED = 2;
const WRITE_CONCERN_TIMEOUT = 64;

type Update = { updateOne: { filter: { _id: number } } };
type Insert = { _id: number };
type Operation = Update | Insert;
const idOf = (operation: Operation): number =>
  'updateOne' in operation ? operation.updateOne.filter._id : operation._id;
type Send = (operations: readonly Operation[], options: object) => Promise<object>;

const RESULT = { matchedCount: 0, insertedCount: 0, getWriteConcernError: () => undefined };
/** As the driver makes it. */
export const bulkError = (error: object, result: object = RESULT) =>
  new mongo.MongoBulkWriteError(error as never, result as never);
const networkError = () => bulkError(new mongo.MongoNetworkError('the connection broke'));
const statementErrors = (indexes: readonly number[], code: number, counts: Counts) => {
  const writeErrors = indexes.map((index) => ({ index, code, errmsg: 'no' }));
  return bulkError({ message: 'no', code, writeErrors }, { ...RESULT, ...counts });
};
type Counts = Partial<Record<'matchedCount' | 'insertedCount', number>>;

const OTHER = { worker: 'another', fence: 3 } as const;
/** The entry of another worker's journal. */
export const OTHER_KEY = 'another';
/** What somebody else makes of a run that has lost its worker. */
const OTHERS_WRITES = {
  claims: { $set: OTHER },
  pushes: { $set: OTHER, $inc: { entries: 1 }, $push: { journal: { n: 1, key: OTHER_KEY } } },
  ends: { $set: { ...OTHER, status: 'SUCCESS', completedAt: new Date(0) }, $unset: { live: 1 } },
  cancels: { $set: { status: 'CANCELLED', completedAt: new Date(0) }, $unset: { live: 1 } },
} as const;

/** Each run as somebody else left it. */
export type TakenOver = Map<number, RunDocument>;

/** Commands with writes of several runs meet the faults, one after another, and none after the last. */
export class FailingWrites {
  readonly takenOver: TakenOver = new Map();
  readonly #faults: Fault[];

  constructor(faults: readonly Fault[]) {
    this.#faults = [...faults];
    for (const command of ['bulkWrite', 'insertMany'] as const) {
      const send = RunModel.collection[command].bind(RunModel.collection) as never as Send;
      jest.spyOn(RunModel.collection, command).mockImplementation(((
        operations: readonly Operation[],
        options: object,
      ) => {
        const fault = this.#faults.shift() ?? { kind: 'none' };
        return this.#meet(fault, operations, (some) => send(some, options));
      }) as never);
    }
  }

  async #meet(
    fault: Fault,
    operations: readonly Operation[],
    send: (operations: readonly Operation[]) => Promise<object>,
  ): Promise<unknown> {
    const write = async (some: readonly Operation[]): Promise<Counts> => {
      if (!some.length) return {};
      const { matchedCount = 0, insertedCount = 0 } = (await send(some)) as Counts;
      return { matchedCount, insertedCount };
    };
    const half = ({ odd }: { odd: boolean }) =>
      operations.map((_, at) => at).filter((at) => at % 2 === Number(odd));
    const but = (left: readonly number[]) => operations.filter((_, at) => !left.includes(at));
    switch (fault.kind) {
      case 'none':
        return send(operations);
      case 'lost command':
        throw networkError();
      case 'lost answer':
        await write(operations);
        throw networkError();
      case 'lost read':
        jest.spyOn(RunModel, 'find').mockImplementationOnce(() => {
          throw new mongo.MongoNetworkError('the connection broke');
        });
        return send(operations);
      case 'write concern not met': {
        const counts = await write(operations);
        const error = { code: WRITE_CONCERN_TIMEOUT, message: 'waiting for replication timed out' };
        throw bulkError(error, { ...RESULT, ...counts, getWriteConcernError: () => error });
      }
      case 'some fail': {
        const failed = half(fault);
        const counts = await write(but(failed));
        if (!failed.length) return { ...RESULT, ...counts };
        throw statementErrors(failed, fault.code, counts);
      }
      case 'some not reached':
        throw statementErrors([0], AWAY, await write(operations.slice(1, 2)));
      case 'refused':
        await write(but(half(fault)));
        throw bulkError(new mongo.MongoServerError({ message: 'no', code: REFUSED }));
      case 'overtaken':
      case 'lost answer, overtaken': {
        const isLost = fault.kind === 'lost answer, overtaken';
        if (isLost) await write(operations);
        const taken = half(fault).flatMap((at) => operations[at] ?? []);
        await this.#overtake(fault.by, taken);
        if (isLost) throw networkError();
        return send(operations);
      }
    }
  }

  async #overtake(by: Overtaker, operations: readonly Operation[]): Promise<void> {
    for (const _id of operations.map(idOf)) {
      if (!(await takeOverRuns('me', _id))) continue;
      await RunModel.updateOne({ _id }, { $unset: { ready: 1, readyAt: 1 } });
      await RunModel.collection.updateOne({ _id } as never, OTHERS_WRITES[by] as never);
      this.takenOver.set(_id, await RunModel.findById(_id).orFail().lean<RunDocument>());
    }
  }
}
