/**
 * Ends within families of runs: the end of a child run notifies its parent run, and the end of a run cancels its child
 * runs. The flag `familyPending` stays until both are done, so that a sweep completes what a killed process has left.
 */
import DataLoader from 'dataloader';
import { systemChange } from '../../../../mixins/changes/change-context.ts';
import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { cancelLiveRuns, cancelUnlessEnded } from '../../cancel-live-runs.ts';
import type { CancelListeners } from '../../cancel-run.ts';
import { type NotificationListeners, notifyRun } from '../mailbox/notify-run.ts';
import { childTopic } from '../mailbox/topics.ts';

/** The most runs that one sweep completes; the next sweep completes further runs. */
const MAX_SWEPT = 100;

/** Milliseconds for which the flags of completed runs are collected. Nobody waits for their removal. */
const COMPLETE_DELAY_MS = 50;

const CANCEL = systemChange('runs', 'runs.cancelChildren', {
  none: 'the cancel of the parent run has an entry, where a caller has cancelled that run',
});

const FIELDS = { workspaceId: 1, parent: 1, hasChildren: 1 } as const;
type EndedRun = Pick<RunDocument, '_id' | keyof typeof FIELDS>;

export interface FamiliesOptions {
  cancelListeners: CancelListeners;
  notificationListeners: NotificationListeners;
  /** Passes the end of a child run to its parent run in this process. Resolves whether the parent run has taken it. */
  passToParent: (child: RunDocument) => Promise<boolean>;
  onError: (error: unknown) => void;
}

/** Completes the ends of runs for their parent runs and child runs. */
export class Families {
  readonly #options: FamiliesOptions;
  /** The ends that this process completes at the moment, by the id of the run. */
  readonly #pending = new Map<number, Promise<void>>();

  /** Removes the flags of runs that come within a few milliseconds by one command. */
  readonly #completed = new DataLoader<number, true>(
    async (ids) => {
      await RunModel.updateMany({ _id: { $in: [...ids] } }, { $unset: { familyPending: 1 } });
      return ids.map(() => true);
    },
    { cache: false, batchScheduleFn: (send) => setTimeout(send, COMPLETE_DELAY_MS) },
  );

  constructor(options: FamiliesOptions) {
    this.#options = options;
  }

  /** Tells the family of a run that the run has ended. The sweep repeats a failed completion. */
  announceEnd(run: RunDocument): void {
    this.#complete(run, () => this.#options.passToParent(run));
  }

  /** Resolves once the ends that were announced before are completed, or have failed. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending.values());
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
    await Promise.all(runs.map((run) => this.#pending.get(run._id) ?? this.#complete(run)));
  }

  /** Finds the live child runs of a run but those that the run still waits for. */
  async findAbandoned(runId: number, awaited: readonly string[]): Promise<{ _id: number }[]> {
    const children = await RunModel.find({ 'parent.runId': runId, live: true }, { _id: 1 }).lean();
    return children.filter(({ _id }) => !awaited.includes(childTopic(_id)));
  }

  /** Cancels a child run, which may have ended. */
  async cancel(child: Pick<RunDocument, '_id' | 'workspaceId'>): Promise<void> {
    await cancelUnlessEnded(child, CANCEL, this.#options.cancelListeners);
  }

  /** Completes an end, unless that fails; then the sweep does. `passOn` resolves whether the parent run has taken the end. */
  #complete(run: EndedRun, passOn = async () => false): Promise<void> {
    const told = Promise.all([this.#cancelChildren(run), this.#tellParent(run, passOn)]);
    const pending = told
      .then(() => this.#completed.load(run._id))
      .then(() => undefined, this.#options.onError)
      .finally(() => this.#pending.delete(run._id));
    this.#pending.set(run._id, pending);
    return pending;
  }

  async #cancelChildren({ _id, workspaceId, hasChildren }: EndedRun): Promise<void> {
    if (!hasChildren) return;
    const children = { live: true, workspaceId, 'parent.runId': _id } as const;
    await cancelLiveRuns(children, CANCEL, this.#options.cancelListeners);
  }

  async #tellParent({ _id, parent }: EndedRun, passOn: () => Promise<boolean>): Promise<void> {
    if (parent && !(await passOn())) await this.#notifyParent(parent.runId, _id);
  }

  async #notifyParent(runId: number, childId: number): Promise<void> {
    await notifyRun({ runId, topic: childTopic(childId) }, this.#options.notificationListeners);
  }
}
