import { RETRY_MS, SWITCH_OFF_MS } from '../../deliveries/delivery-times.ts';
import type { DeliveryResult } from '../attempt.ts';
import { AdaptiveLimit } from './adaptive-limit.ts';
import type { LaneDelta } from './lane-deltas.ts';

/** How well a receiver takes its deliveries, as the attempts of one lane have shown. */
export class LaneHealth {
  readonly #limit = new AdaptiveLimit();
  #failingSince: Date | null;
  #delta: LaneDelta = { ended: 0, failingSince: undefined };

  /** @param failingSince the time of the first failure since the last success; null without one */
  constructor(failingSince: Date | null) {
    this.#failingSince = failingSince;
  }

  /** The number of attempts that may be in flight. */
  get concurrency(): number {
    return this.#limit.value;
  }

  /** Begins anew with what is stored, after a change of the subscription. What has yet to be stored is later, and stays. */
  reset(failingSince: Date | null): void {
    if (this.#delta.failingSince === undefined) this.#failingSince = failingSince;
  }

  countEnded(): void {
    this.#delta.ended++;
  }

  /** Forgets the ended deliveries that are not stored: the number of pending ones has begun anew at 0. */
  forgetEnded(): void {
    this.#delta.ended = 0;
  }

  /** Records the end of an attempt. Returns the reason for which the subscription is to be switched off; null without one. */
  record({ outcome, response }: DeliveryResult, now: number): string | null {
    if (outcome === 'expired') return null; // the receiver was not asked
    if (outcome === 'delivered') {
      this.#limit.succeed();
      if (this.#failingSince) this.#delta.failingSince = null;
      this.#failingSince = null;
      return null;
    }
    this.#limit.fail();
    if (!this.#failingSince) {
      this.#failingSince = new Date(now);
      this.#delta.failingSince = this.#failingSince;
    }
    if (outcome === 'gone') {
      return `The receiver answered ${response?.status}: it wants no further events.`;
    }
    const isLong = now - this.#failingSince.getTime() >= SWITCH_OFF_MS;
    return isLong ? `No attempt has succeeded for ${RETRY_MS / 3_600_000} hours.` : null;
  }

  /** Takes what has changed since the last call; null without anything. */
  drainDelta(): LaneDelta | null {
    const delta = this.#delta;
    if (delta.ended === 0 && delta.failingSince === undefined) return null;
    this.#delta = { ended: 0, failingSince: undefined };
    return delta;
  }

  /** Gives back what was not stored. A time of a failure counts only if it is still the current one. */
  restoreDelta({ ended, failingSince }: LaneDelta): void {
    this.#delta.ended += ended;
    const isCurrent = failingSince?.getTime() === this.#failingSince?.getTime();
    if (failingSince !== undefined && isCurrent) this.#delta.failingSince = failingSince;
  }
}
