/**
 * Makes the child's clock and chance those of the run. They are replaced whole, since JSONata
 * reads them in more places than can be bound: `$now`, `$millis`, `$toMillis` with a partial
 * picture, `$random`, `$shuffle`. `Date.now()` stays true: JSONata's own deadline reads it.
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

/** Once, before anything is evaluated. */
export function replaceWorld(): void {
  globalThis.Date = RunDate as DateConstructor;
  Math.random = () => random();
}

/** From here on the time stands still at `now` (ms since the epoch) and chance follows `seed`. */
export function enterWorld(now: number, seed: string): void {
  moment = now;
  random = seededRandom(seed);
}
