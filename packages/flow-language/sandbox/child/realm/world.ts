/**
 * Replaces the realm's `Date` and `Math.random` by the run's time and the run's seed, because JSONata reads them in
 * several functions (`$now`, `$millis`, `$toMillis`, `$random`, `$shuffle`). `Date.now()` is not replaced, because
 * JSONata's own timeout reads it.
 */
import { seededRandom } from '../../random.ts';

const RealDate = Date;
let moment = RealDate.now();

class RunDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(moment);
    else super(...(given as [number]));
  }
}

let random = seededRandom('');

/** Replaces `Date` and `Math.random`. It is called once, before the first evaluation of a realm. */
export function replaceWorld(): void {
  globalThis.Date = RunDate as DateConstructor;
  Math.random = () => random();
}

/** Sets the time (in milliseconds since the epoch) and the seed of random numbers for the next evaluation. */
export function enterWorld(now: number, seed: string): void {
  moment = now;
  random = seededRandom(seed);
}
