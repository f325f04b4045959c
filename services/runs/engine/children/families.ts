/**
 * Ends within families of runs: the end of a child run notifies its parent run, and the end of a run cancels its child
 * runs. The flag `familyPending` stays until both are done, so that a sweep completes what a killed process has left.
 */
import { systemChange } from '../../../../mixins/changes/change-context.ts';
import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { cancelLiveRuns, unlessEnded } from '../../cancel-live-runs.ts';
import { type CancelListeners, cancelRun } from '../../cancel-run.ts';
import { type NotificationListeners, notifyRun } from '../mailbox/notify-run.ts';
import { childTopic } from '../mailbox/topics.ts';

/** The most runs that one sweep completes; the next sweep completes further runs. */
const MAX_SWEPT = 100;

const CANCEL = systemChange('runs', 'runs.cancelChildren', {
  none: 'the cancel of the parent run has an entry, where a caller has cancelled that run',
});

const FIELDS = { workspaceId: 1, parent: 1, hasChildren: 1 } as const;
type EndedRun = Pick<RunDocument, '_id' | keyof typeof FIELDS>;

export interface FamiliesOptions {
  cancelListeners: CancelListeners;
  notificationListeners: NotificationListeners;
  onError: (error: unknown) => void;
}

/** Completes the ends of runs for their parent runs and child runs. */
export class Families {
  readonly #options: FamiliesOptions;

  constructor(options: FamiliesOptions) {
    this.#options = options;
  }

  /** Tells the family of a run that the run has ended. The sweep repeats a failed completion. */
  announceEnd(run: EndedRun): void {
    this.#complete(run).catch(this.#options.onError);
  }

  /** Tells the family of a run by its id that the run has ended. A live run is ignored. */
  announceEndOf(runId: number): void {
    RunModel.findOne({ _id: runId, familyPending: true, live: { $exists: false } }, FIELDS)
      .lean<EndedRun>()
      .then((run) => run && this.#complete(run))
      .catch(this.#options.onError);
  }

  /** Completes the ends whose announcement was lost. */
  async sweep(): Promise<void> {
    const ended = { familyPending: true, completedAt: { $gt: new Date(0) } } as const;
    const runs = await RunModel.find(ended, FIELDS).limit(MAX_SWEPT).lean<EndedRun[]>();
    for (const run of runs) await this.#complete(run);
  }

  /** Finds the live child runs of a run but those that the run still waits for. */
  async findAbandoned(runId: number, awaited: readonly string[]): Promise<{ _id: number }[]> {
    const children = await RunModel.find({ 'parent.runId': runId, live: true }, { _id: 1 }).lean();
    return children.filter(({ _id }) => !awaited.includes(childTopic(_id)));
  }

  /** Cancels a child run, which may have ended. */
  async cancel(child: Pick<RunDocument, '_id' | 'workspaceId'>): Promise<void> {
    await cancelRun(child, CANCEL, this.#options.cancelListeners).catch(unlessEnded);
  }

  async #complete({ _id, workspaceId, parent, hasChildren }: EndedRun): Promise<void> {
    if (parent) await this.#notifyParent(parent.runId, _id);
    if (hasChildren) {
      const children = { live: true, workspaceId, 'parent.runId': _id } as const;
      await cancelLiveRuns(children, CANCEL, this.#options.cancelListeners);
    }
    await RunModel.updateOne({ _id }, { $unset: { familyPending: 1 } });
  }

  async #notifyParent(runId: number, childId: number): Promise<void> {
    const notified = await notifyRun({ runId, topic: childTopic(childId) });
    if (notified) this.#options.notificationListeners[notified](runId);
  }
}
