import { type FieldFault, LONGEST_PATH, MOST_FAULTS } from '../../../contract/problem.ts';
import { bodyFault } from './body-fault.ts';

/** A step of the path to a value: an object or list, and the key of its next value on the path. */
interface Step {
  readonly parent: Step | null;
  key: string | number;
}

/**
 * Finds values that are never stored: infinite numbers, NUL, lone surrogates, the key `__proto__`. A path is made
 * for a fault only, and the search ends after `MOST_FAULTS` faults.
 *
 * @param body a value that `JSON.parse` made, of bounded depth
 */
export function jsonFaults(body: unknown): FieldFault[] {
  const faults: FieldFault[] = [];
  visit(body, null, faults);
  return faults;
}

function visit(value: unknown, way: Step | null, faults: FieldFault[]): void {
  if (faults.length >= MOST_FAULTS) return;
  if (Array.isArray(value)) visitList(value, way, faults);
  else if (typeof value === 'object' && value !== null)
    visitObject(value as Record<string, unknown>, way, faults);
  else if (typeof value === 'string') {
    const wrong = textFault(value);
    if (wrong) faults.push(bodyFault(pathOf(way), 'forbidden_character', wrong));
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    const message = 'must be a number that can be kept'; // JSON would write 1e999 as null
    faults.push(bodyFault(pathOf(way), 'invalid_type', message));
  }
}

function visitList(list: readonly unknown[], parent: Step | null, faults: FieldFault[]): void {
  const step: Step = { parent, key: 0 };
  for (let index = 0; index < list.length && faults.length < MOST_FAULTS; index++) {
    step.key = index;
    visit(list[index], step, faults);
  }
}

function visitObject(
  object: Readonly<Record<string, unknown>>,
  parent: Step | null,
  faults: FieldFault[],
): void {
  const step: Step = { parent, key: '' };
  for (const key of Object.keys(object)) {
    step.key = key;
    if (key !== '__proto__' && !textFault(key)) visit(object[key], step, faults);
    else if (faults.length < MOST_FAULTS) {
      faults.push(bodyFault(pathOf(step), 'forbidden_key', 'is not a possible name'));
    }
  }
}

/** The dotted path of a value. Each name is cut before the names are joined. */
function pathOf(way: Step | null): string {
  const names: string[] = [];
  for (let step = way; step; step = step.parent) {
    names.push(String(step.key).slice(0, LONGEST_PATH));
  }
  return names.reverse().join('.');
}

/** The reason why a text is never stored; null for a text that may be. */
export function textFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL';
  return text.isWellFormed() ? null : 'must not contain a lone surrogate';
}
