import { taskPathOf } from '@workspace-automation/flow-language';
import type { JournalEntry } from '../../../../../models/journal-entry.ts';
import type { RunError } from '../../../contract/resources.ts';

/** A journal entry with the end of an effect. */
export type EffectEntry = Pick<JournalEntry, 'n' | 'key'> & Required<Pick<JournalEntry, 'effect'>>;

/** Finds the journal entry of the step that made a run fail. It takes the entries in their order. */
export class FailedEntry {
  readonly #error: RunError;
  /** The task whose `catch` raised the error, with a `/` at the end of its list; null for any other error. */
  readonly #tried: string | null;
  #failure: EffectEntry | null = null;
  #decision: number | null = null;
  #lastTried: EffectEntry | null = null;

  constructor(error: RunError) {
    this.#error = error;
    const [around, ...caught] = error.instance.split('/catch/do/');
    this.#tried = caught.length ? `${around}/try/` : null;
  }

  add(entry: EffectEntry): void {
    const path = taskPathOf(entry.key);
    const { instance } = this.#error;
    if (entry.key.endsWith('#decided')) {
      if (instance.startsWith(`${path}/`)) this.#decision = entry.n;
    } else if (isSame(entry, this.#error) && (isWithin(path, instance) || isWithin(instance, path)))
      this.#failure = entry;
    if (this.#tried !== null && path.startsWith(this.#tried)) this.#lastTried = entry;
  }

  /** The number of the entry; infinite where no entry failed, because the step computes only. */
  get n(): number {
    const caught = this.#lastTried?.effect.kind === 'succeeded' ? null : this.#lastTried;
    const numbers = [this.#failure?.n, caught?.n, this.#decision];
    return Math.min(...numbers.map((n) => n ?? Number.POSITIVE_INFINITY));
  }
}

const isWithin = (path: string, around: string): boolean =>
  path === around || path.startsWith(`${around}/`);

/** Whether the effect has failed with the error of the run. A deadline around the effect is an error of its own. */
function isSame({ effect }: EffectEntry, { title, detail }: RunError): boolean {
  if (effect.kind !== 'failed') return effect.kind === 'timed-out' && title === 'TASK_TIMEOUT';
  const problem = JSON.parse(effect.json ?? '{}') as Partial<RunError>;
  return problem.title === title && problem.detail === detail;
}
