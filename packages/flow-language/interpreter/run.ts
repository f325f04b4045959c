/** The state of one interpretation of a run that all its branches share. */
import type { Plan } from '../plan.ts';
import type { Branch } from './branch.ts';
import type { Checkpoint } from './checkpoint.ts';
import { Counters } from './counters.ts';
import { type Deadline, deadlineAt } from './deadline.ts';
import { HeldValues } from './held-values.ts';
import type { Host } from './host.ts';
import { JsonText, Texts } from './json-text.ts';
import { checkWeight } from './limits.ts';
import { ParkingLot } from './parking-lot.ts';
import { saveCheckpoint } from './save-checkpoint.ts';
import type { ListState } from './state.ts';
import { StateSize } from './state-size.ts';

/** Milliseconds that an interpretation computes without a break. After that it waits for its next turn. */
const TURN_MS = 5;

export class Run {
  readonly plan: Plan;
  readonly host: Host;
  readonly counters: Counters;
  readonly deadline: Deadline;
  /** The values that the interpretation holds in memory. */
  readonly held = new HeldValues();
  /** The bytes of `$steps` and `$context` of all branches. */
  readonly stateSize = new StateSize();
  readonly parking: ParkingLot;
  /** The value of `$input`. */
  readonly input: JsonText;
  /** The value of `$properties`. */
  readonly properties: JsonText;
  readonly texts = new Texts();
  #root: { branch: Branch; list: ListState } | null = null;
  /** The time of the last break, by the monotonic clock. Nothing that a flow sees depends on it. */
  #turnBegan = performance.now();
  /** The wait for the next turn, which all branches share. */
  #nextTurn: Promise<void> | null = null;

  constructor(plan: Plan, host: Host) {
    this.plan = plan;
    this.host = host;
    this.counters = new Counters(plan);
    this.parking = new ParkingLot(host, () => this.checkpointOfSuspension());
    this.input = new JsonText(host.input);
    this.properties = new JsonText(host.properties);
    this.held.hold(this.input);
    this.held.hold(this.properties);
    this.deadline = deadlineAt(host.deadline);
  }

  /** Whether the interpretation has computed for so long that it should wait for its next turn. */
  get isTurnOver(): boolean {
    return performance.now() - this.#turnBegan > TURN_MS || this.host.isTurnDue();
  }

  /** Waits for the next turn. */
  nextTurn(): Promise<void> {
    this.#nextTurn ??= this.host.nextTurn().then(() => {
      this.#nextTurn = null;
      this.beginTurn();
    });
    return this.#nextTurn;
  }

  /** Notes that other work of the process has gone on meanwhile. */
  beginTurn(): void {
    this.#turnBegan = performance.now();
  }

  /** Sets the state of the run's own list, of which checkpoints are made. */
  setRoot(branch: Branch, list: ListState): void {
    this.#root = { branch, list };
  }

  /** Saves a checkpoint when the host wants one. Called at the beginning of a task. */
  async offerCheckpoint(): Promise<void> {
    if (!this.host.wantsCheckpoint('running')) return;
    const checkpoint = this.makeCheckpoint();
    if (checkpoint) await this.host.saveCheckpoint(checkpoint);
  }

  /** Makes a checkpoint of a run that is about to be suspended, when the host wants one. */
  checkpointOfSuspension(): Checkpoint | null {
    return this.host.wantsCheckpoint('suspended') ? this.makeCheckpoint() : null;
  }

  makeCheckpoint(): Checkpoint | null {
    return this.#root && saveCheckpoint(this.#root.branch, this.#root.list);
  }

  /** Reports the held memory to the host. Throws when the memory exceeds the run's limit or the room of the host. */
  reportWeight(): void {
    const weight = this.held.weight + this.counters.weight;
    checkWeight(weight);
    this.host.hold(weight);
  }
}
