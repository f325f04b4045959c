import { type BegunStep, jsonOf, type Step } from '@workspace-automation/flow-language';
import {
  OPEN_STEP_BASE,
  type OpenStep,
  openStepsBytes,
  type StoredOpenSteps,
} from '../../../../../models/open-step.ts';
import { firstInnermost, isWithin } from '../innermost-step.ts';
import type { StepExchanges } from './step-exchanges.ts';
import { prefixOf } from './step-records.ts';

/** Open steps that the run's document keeps. Further ones are counted, and shown once earlier ones have ended. */
const MAX_STEPS = 100;
/** Bytes of an open step's input that are kept; the further bytes are dropped. */
const MAX_INPUT_BYTES = 4 * 1024;
/** Bytes of the inputs of all open steps. Beyond this size an input keeps `MAX_SHORT_BYTES`. */
const MAX_BYTES = 32 * 1024;
/** Bytes that an input keeps once the inputs exceed `MAX_BYTES`. */
const MAX_SHORT_BYTES = 256;
/** Milliseconds for which a step may be open before a write of its own shows it, unless another write does. */
const SHOW_DELAY_MS = 1_000;

/** A task under way. */
interface BegunTask {
  step: BegunStep;
  /** The beginning by the monotonic clock. */
  at: number;
  /** The form in the database, once a write has needed it. */
  stored?: OpenStep;
  /** Whether a write has shown the request of a call. */
  hasShownRequest?: boolean;
}

/**
 * The tasks of a run that have begun and not ended. The writes of the journal show them; `show` is called when a step
 * has been open for `SHOW_DELAY_MS` and no write has shown it.
 */
export class OpenSteps {
  readonly #begun = new Map<string, BegunTask>();
  /** The ids that earlier workers gave to steps, by key: a step that goes on keeps its id. */
  readonly #knownIds: Map<string, number>;
  readonly #exchanges: StepExchanges;
  readonly #show: () => void;
  #last: number;
  /** The open steps that the last worker left, until a step begins here. */
  #inherited: StoredOpenSteps | undefined;
  /** Whether the database shows other steps than those that are open. */
  #hasChanged = true;
  #timer: NodeJS.Timeout | undefined;
  #bytes: number;

  constructor(stored: StoredOpenSteps | undefined, exchanges: StepExchanges, show: () => void) {
    this.#last = stored?.last ?? OPEN_STEP_BASE;
    this.#inherited = stored;
    this.#bytes = stored ? openStepsBytes(stored) : 0;
    this.#knownIds = new Map(stored?.steps.map(({ key, id }) => [key, id]));
    this.#exchanges = exchanges;
    this.#show = show;
  }

  begin(step: BegunStep): void {
    this.#inherited = undefined;
    this.#begun.set(step.position.key, { step, at: performance.now() });
    this.#hasChanged = true;
    this.#timer ??= setTimeout(() => this.#showOverdue(), SHOW_DELAY_MS);
  }

  /** Ends a step, and those within it that an end of a branch has left open. */
  end({ kind, position }: Pick<Step, 'kind' | 'position'>): void {
    this.#begun.delete(position.key);
    this.#hasChanged = true;
    if (!COMPOSITES.has(kind)) return;
    for (const [key, { step }] of this.#begun) {
      if (isWithin(step.position, position)) this.#begun.delete(key);
    }
  }

  /** The path of the first open step that has no open step within it; empty where no step is open. */
  get innermostPath(): string {
    const positions = [...this.#begun.values()].map(({ step }) => step.position);
    return firstInnermost(positions)?.path ?? '';
  }

  /** The approximate bytes of the open steps that the database shows, or will show after the write under way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Notes that no write has shown the open steps that `takeChanged` returned last. */
  markUnwritten(): void {
    this.#hasChanged = true;
  }

  /** Ends all steps of a run that has ended or is given up: no timer fires any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#begun.clear();
  }

  /** Returns the open steps for a write; undefined where the last write had the same ones. */
  takeChanged(): StoredOpenSteps | undefined {
    if (!this.#hasChanged) return undefined;
    this.#hasChanged = false;
    const stored = this.#toStored();
    this.#bytes = openStepsBytes(stored);
    return stored;
  }

  /**
   * The open steps at which a run ends when its interpretation has stopped: those that the last worker left where no step
   * has begun here; null for none.
   */
  get atEnd(): StoredOpenSteps | null {
    return this.#inherited ?? (this.#begun.size ? this.#toStored() : null);
  }

  #toStored(): StoredOpenSteps {
    let bytes = 0;
    const steps = [...this.#begun.values()].slice(0, MAX_STEPS).map((begun) => {
      const stored = this.#storedOf(begun, bytes);
      bytes += stored.input?.length ?? 0;
      return stored;
    });
    const omitted = this.#begun.size - steps.length;
    return { last: this.#last, ...(omitted ? { omitted } : {}), steps };
  }

  #storedOf(begun: BegunTask, bytes: number): OpenStep {
    const { key } = begun.step.position;
    begun.stored ??= this.#store(begun.step, bytes < MAX_BYTES ? MAX_INPUT_BYTES : MAX_SHORT_BYTES);
    const { request, response } = this.#exchanges.find(key)?.fields ?? {};
    begun.hasShownRequest = request !== undefined;
    return { ...begun.stored, ...(request ? { request } : {}), ...(response ? { response } : {}) };
  }

  #store({ position, kind, input, startedAt }: BegunStep, most: number): OpenStep {
    const { path, name, iteration, visit, attempt, key } = position;
    const json = input === undefined ? null : jsonOf(input);
    const beginning = json === null ? null : prefixOf(json, most);
    return {
      id: this.#knownIds.get(key) ?? ++this.#last,
      key,
      kind,
      path,
      name,
      iteration,
      visit,
      attempt,
      input: beginning ?? json,
      ...(beginning === null ? {} : { inputCut: true }),
      startedAt: new Date(startedAt),
    };
  }

  /** Calls `show` for steps that no write has shown for `SHOW_DELAY_MS`, and looks again when the next step will be due. */
  #showOverdue(): void {
    this.#timer = undefined;
    const oldest = [...this.#begun.values()]
      .slice(0, MAX_STEPS)
      .find((each) => !this.#isShown(each));
    if (!oldest) return;
    const left = oldest.at + SHOW_DELAY_MS - performance.now();
    if (left <= 0) {
      this.#hasChanged = true;
      this.#show();
    }
    this.#timer = setTimeout(() => this.#showOverdue(), left > 0 ? left : SHOW_DELAY_MS);
  }

  /** Whether a write has shown the step, and the request that it has sent. */
  #isShown({ stored, hasShownRequest, step }: BegunTask): boolean {
    if (!stored) return false;
    return hasShownRequest || !this.#exchanges.find(step.position.key)?.fields.request;
  }
}

/** The kinds of tasks that have other tasks within them. */
const COMPOSITES: ReadonlySet<Step['kind']> = new Set(['do', 'for', 'fork', 'try']);
