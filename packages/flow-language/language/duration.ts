import type { Context } from './context.ts';
import { quote } from './faults.ts';
import { LIMITS } from './limits.ts';
import { keys, readFields, wrongType } from './shape.ts';
import { type Node, stringOf } from './tree.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The members of a duration in object form, in milliseconds. */
const UNITS = {
  days: DAY,
  hours: HOUR,
  minutes: MINUTE,
  seconds: SECOND,
  milliseconds: 1,
} as const;

/** The keys of a duration in object form. */
export const DURATION_KEYS = keys({ optional: Object.keys(UNITS).join(' ') });

/** Matches an ISO 8601 duration without years and months, as the DSL writes it. Seconds may have up to three decimals. */
const ISO =
  /^P(?!$)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;
const ISO_UNITS = [7 * DAY, DAY, HOUR, MINUTE, SECOND];

/** Returns the milliseconds of an ISO 8601 duration; null for a text that this profile does not accept. */
export function parseIsoDuration(text: string): number | null {
  const match = ISO.exec(text);
  return match && sumOf(match);
}

/** Adds the parts of a matched duration, in milliseconds. */
function sumOf(match: RegExpExecArray): number {
  const parts = ISO_UNITS.map((unit, i) => Math.round(unit * Number(match[i + 1] ?? 0)));
  return parts.reduce((sum, ms) => sum + ms, 0);
}

/** Matches a duration with decimals of any unit, in the groups of `ISO`. */
const DECIMAL =
  /^P(?!$)(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
/** Matches the parts of a duration in any order. */
const MISORDERED = /^P(?:T|\d+[WDHMS])+$/;

/** Reads a duration of the DSL 1.0.0, such as `PT5S` or `{ seconds: 5 }`, in milliseconds. */
export function readDuration(node: Node, what: string, context: Context): number {
  const ms = node.kind === 'map' ? fromUnits(node, what, context) : fromIso(node, what, context);
  if (ms > LIMITS.durationMs) {
    context.fault(node, 'DURATION_TOO_LONG', `${what} is longer than 30 days.`);
  }
  return ms;
}

function fromIso(node: Node, what: string, context: Context): number {
  const text = stringOf(node);
  if (text === null) {
    const count = node.kind === 'scalar' && typeof node.value === 'number' ? node.value : 5;
    wrongType(node, what, `a duration such as "PT${count}S" or { seconds: ${count} }`, context);
    return 0;
  }
  const ms = parseIsoDuration(text);
  if (ms === null) context.fault(node, 'DURATION_INVALID', describeInvalid(text, what));
  return ms ?? 0;
}

function describeInvalid(text: string, what: string): string {
  if (text.includes('${')) {
    return `${what} is fixed: no expression may stand here; write a duration such as "PT5S" or { seconds: 5 }.`;
  }
  const rule = 'weeks, days, hours, minutes and seconds such as "P1DT2H", "PT5S" or "PT0.5S"';
  return `${what} must be ${rule}; ${hintFor(text)}this is ${quote(text)}.`;
}

/** A duration as other tools write it: a number and a unit. */
const INFORMAL =
  /^\s*(\d+)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)\s*$/i;

/** The parts of a duration in ISO 8601 by the first letter of a unit, around the number. */
const ISO_PARTS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['s', ['PT', 'S']],
  ['m', ['PT', 'M']],
  ['h', ['PT', 'H']],
  ['d', ['P', 'D']],
  ['w', ['P', 'W']],
]);

/** Asks for the duration that is probably meant by a text; empty where none is. It ends with a space. */
function hintFor(text: string): string {
  if (parseIsoDuration(text.trim().toUpperCase()) !== null) {
    return `write "${text.trim().toUpperCase()}"; `;
  }
  if (/^P[\d.WD]*[YM]/i.test(text)) return 'years and months have no fixed length: write days; ';
  const decimal = DECIMAL.exec(text);
  if (decimal) {
    const seconds = sumOf(decimal) / SECOND;
    return `only seconds may have decimals, at most three: write "PT${seconds}S"; `;
  }
  const [, number] = /^PT?(\d+)$/.exec(text) ?? [];
  if (number !== undefined) return `the unit is missing: write "PT${number}S"; `;
  const withTime = text.replace(/^P(?!T)/, 'PT');
  if (parseIsoDuration(withTime) !== null) return `write "${withTime}"; `;
  if (MISORDERED.test(text)) return 'each unit stands once, in the order W, D, T, H, M, S; ';
  const [, count = '', unit = ''] = INFORMAL.exec(text) ?? [];
  if (/^(?:ms|milli)/i.test(unit)) return `write { milliseconds: ${count} }; `;
  const [before, after] = ISO_PARTS.get(unit.charAt(0).toLowerCase()) ?? [];
  return before === undefined ? '' : `write "${before}${count}${after}"; `;
}

function fromUnits(node: Node, what: string, context: Context): number {
  const fields = readFields(node, what, DURATION_KEYS, context);
  if (!fields) return 0;
  if (fields.node.entries.size === 0) {
    context.fault(node, 'DURATION_INVALID', `${what} is empty; give at least one of its units.`);
  }
  let sum = 0;
  for (const [unit, ms] of Object.entries(UNITS)) {
    sum +=
      ms * (fields.read(unit, (value) => readCount(value, `${unit} of ${what}`, context)) ?? 0);
  }
  return sum;
}

function readCount(node: Node, what: string, context: Context): number {
  const count = node.kind === 'scalar' ? node.value : null;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  context.fault(node, 'DURATION_INVALID', `${what} must be a whole number from 0.`);
  return 0;
}
