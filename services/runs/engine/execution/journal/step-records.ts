import {
  type Json,
  jsonOf,
  type Problem,
  type Step,
  type Value,
} from '@workspace-automation/flow-language';
import { exchangeBytes } from '../../../../../models/exchange.ts';
import type { JournalEntry, StepRecord } from '../../../../../models/journal-entry.ts';
import type { Exchange } from '../effects/exchange.ts';

/** Bytes of a step's input that are kept; the further bytes of a longer input are dropped. */
const MAX_INPUT_BYTES = 256 * 1024;
/** Bytes of all step records of a run, beyond which each further value keeps `MAX_SHORT_BYTES`. */
const MAX_VALUE_BYTES = 24 * 1024 * 1024;
/** Bytes that each value keeps once the records exceed `MAX_VALUE_BYTES`; its further bytes are dropped. */
const MAX_SHORT_BYTES = 256;
/** Bytes of all step records of a run, with their positions and errors; beyond this size no step is recorded. */
const MAX_BYTES = 40 * 1024 * 1024;

/**
 * Remembered values; an older value is cut again. A step's input is mostly the input or output of the step before.
 */
const MAX_REMEMBERED_TEXTS = 2;

/** The first characters of a text, at most `bytes` of UTF-8 in whole characters; null when the whole text fits. */
export function prefixOf(text: string, bytes: number): string | null {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return null;
  const cut = Buffer.from(text.slice(0, bytes)).subarray(0, bytes);
  return new TextDecoder().decode(cut, { stream: true }).toWellFormed();
}

/**
 * Makes the records of a run's steps, which the API shows, and bounds their size. The interpreter bounds
 * the outputs of a run, but one value can pass through ten thousand steps.
 */
export class StepRecords {
  #bytes: number;
  /** The remembered values, the latest last. A large value that passes through many steps is cut once. */
  readonly #texts = new Map<string, JsonPrefixes>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Bytes of all step records so far. */
  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_BYTES;
  }

  /** Makes the record of a step; that of a call with its request and response. */
  recordOf(
    { position, status, input, output, error, startedAt, completedAt }: Step,
    exchange?: Exchange,
  ): StepRecord {
    const { path, name, iteration, visit, attempt, key } = position;
    this.#bytes += path.length + name.length + iteration.length + key.length;
    this.#bytes += exchange ? exchangeBytes(exchange.fields) : 0;
    const [keptInput, inputCut] = this.#keepValue(input, MAX_INPUT_BYTES);
    const [keptOutput, outputCut] = this.#keepValue(output, MAX_VALUE_BYTES);
    return {
      path,
      name,
      iteration,
      visit,
      attempt,
      status,
      input: keptInput,
      ...(inputCut ? { inputCut } : {}),
      output: keptOutput,
      ...(outputCut ? { outputCut } : {}),
      error: error && this.#keepError(error),
      startedAt: new Date(startedAt),
      completedAt: new Date(completedAt),
      ...exchange?.fields,
    };
  }

  #keepError(error: Problem): string {
    const cut = <E extends { detail: string }>(part: E): E => {
      const { detail } = part;
      const kept = this.#bytes < MAX_VALUE_BYTES ? detail : detail.slice(0, MAX_SHORT_BYTES);
      return { ...part, detail: kept.toWellFormed() };
    };
    const json = JSON.stringify({ ...cut(error), ...(error.cause && { cause: cut(error.cause) }) });
    this.#bytes += json.length;
    return json;
  }

  #keepValue(value: Value, most: number): [string | null, true?] {
    if (value === undefined) return [null];
    const text = this.#textOf(value);
    const beginning = text.prefix(this.#bytes < MAX_VALUE_BYTES ? most : MAX_SHORT_BYTES);
    this.#bytes += (beginning ?? text.json).length;
    return beginning === null ? [text.json] : [beginning, true];
  }

  #textOf(value: Json): JsonPrefixes {
    const json = jsonOf(value);
    const text = this.#texts.get(json) ?? new JsonPrefixes(json);
    this.#texts.delete(json);
    this.#texts.set(json, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_REMEMBERED_TEXTS && oldest !== undefined) this.#texts.delete(oldest);
    return text;
  }
}

/** A value's JSON, with the prefixes that were computed before. */
class JsonPrefixes {
  readonly json: string;
  readonly #prefixes = new Map<number, string | null>();

  constructor(json: string) {
    this.json = json;
  }

  prefix(bytes: number): string | null {
    let known = this.#prefixes.get(bytes);
    if (known === undefined) {
      known = prefixOf(this.json, bytes);
      this.#prefixes.set(bytes, known);
    }
    return known;
  }
}

/** The bytes that `StepRecords` counts for the step of an entry. */
export function recordedBytes({ key, step }: JournalEntry): number {
  if (!step) return 0;
  const { path, name, iteration, input, output, error } = step;
  const texts = [path, name, iteration, key, input, output, error];
  return texts.reduce((bytes, text) => bytes + (text?.length ?? 0), exchangeBytes(step));
}

/** Approximate bytes of a range of numbers in the database. */
const RANGE_BYTES = 40;

/** Computes the approximate bytes of an entry in the database. */
export function entryBytes({ key, effect, step, sentSecrets, dropped }: JournalEntry): number {
  const values = [effect?.json, step?.input, step?.output, step?.error, sentSecrets?.sealed];
  const exchanges = exchangeBytes(effect ?? {}) + exchangeBytes(step ?? {});
  return values.reduce(
    (bytes, text) => bytes + (text?.length ?? 0),
    200 + 2 * key.length + RANGE_BYTES * (dropped?.length ?? 0) + exchanges,
  );
}
