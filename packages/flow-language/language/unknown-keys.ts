import type { Context } from './context.ts';
import { joinNames, quote } from './faults.ts';
import { keywordFor } from './foreign-words.ts';
import { nearestName } from './nearest-name.ts';
import type { Advice, Keys } from './shape.ts';
import type { Entry, MapNode } from './tree.ts';

/** An unknown key, and the known keyword that its author has probably meant. */
interface UnknownKey {
  entry: Entry;
  misspelt: string | undefined;
  foreign: string | undefined;
  /** The advice for this key, where the map has one. */
  instead: string | undefined;
}

/** The map of unknown keys. */
interface UnknownPlace {
  map: MapNode;
  /** The name of the map in messages. */
  what: string;
  known: Keys;
  /** The keys of the map, and those whose members were reported as misplaced. */
  given: ReadonlySet<string>;
  instead: Advice['instead'];
}

/**
 * Reports the unknown and the missing keys of a map. A missing key is reported with an unknown key that may be meant
 * for it, because both are one mistake. Returns the entries of misspelt keys by the keyword that is meant.
 */
export function reportUnknown(
  unknown: readonly Entry[],
  { map, what, known, given, instead }: UnknownPlace,
  context: Context,
): Map<string, Entry> {
  const names = [...known.keys()].filter((name) => known.get(name) !== 'refused');
  const found = unknown.map((entry) => findMeant(entry, names, instead));
  const meant = new Set(found.map(({ misspelt, foreign }) => misspelt ?? foreign));
  const missing = names.filter(
    (name) => known.get(name) === 'required' && !given.has(name) && !meant.has(name),
  );
  const unexplained = found.find(({ misspelt, foreign }) => (misspelt ?? foreign) === undefined);
  for (const one of found) {
    const lacking = one === unexplained ? missing.map((name) => `"${name}" is missing; `) : [];
    const allowed = names.length > 0 ? `allowed: ${joinNames(names)}` : 'none is allowed here';
    const key = quote(one.entry.key);
    const message = `Unknown keyword ${key} in ${what}; ${hintOf(one)}${lacking.join('')}${allowed}.`;
    context.fault(one.entry.keyStart, 'UNKNOWN_KEY', message);
  }
  for (const name of unexplained ? [] : missing) {
    context.fault(map, 'MISSING_KEY', `"${name}" is missing in ${what}.`);
  }
  const isNew = (name: string | undefined): name is string =>
    name !== undefined && !given.has(name);
  return new Map(
    found.flatMap(({ entry, misspelt }) => (isNew(misspelt) ? [[misspelt, entry] as const] : [])),
  );
}

function findMeant(
  entry: Entry,
  names: readonly string[],
  adviceFor: Advice['instead'],
): UnknownKey {
  const instead = adviceFor?.(entry);
  const misspelt = instead === undefined ? nearestName(entry.key, names) : undefined;
  const foreign =
    misspelt === undefined && instead === undefined ? keywordFor(entry.key, names) : undefined;
  return { entry, misspelt, foreign, instead };
}

function hintOf({ misspelt, foreign, instead }: UnknownKey): string {
  if (instead !== undefined) return `${instead}; `;
  if (misspelt !== undefined) return `did you mean "${misspelt}"? `;
  return foreign === undefined ? '' : `here it is "${foreign}"; `;
}
