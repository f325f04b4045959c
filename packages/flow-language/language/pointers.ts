import type { Node } from './tree.ts';

/** The JSON pointers (RFC 6901) of the places of a file. */
export interface Pointers {
  /** The pointer of the key or value that begins last before the offset, or at it; empty before the first. */
  at(offset: number): string;
}

/** A key or a value of the file. A value has the same part as its key. */
interface Place {
  start: number;
  /** The list or map that contains the place; null for the whole file. */
  parent: Place | null;
  /** The key, or the index in a list. */
  part: string | number;
}

/** Finds pointers by the tree of a file. Without a tree, as after a syntax error, every pointer is empty. */
export function pointersOf(root: Node | null): Pointers {
  let places: Place[] | null = null;
  return {
    at(offset) {
      if (!root) return '';
      places ??= listPlaces(root);
      return pointerOf(findLast(places, offset));
    },
  };
}

/** Lists all places by their offsets; of places with the same offset, the outermost comes first. */
function listPlaces(root: Node): Place[] {
  const places: Place[] = [];
  const add = (node: Node, parent: Place | null, part: string | number): void => {
    const place = { start: node.start, parent, part };
    places.push(place);
    if (node.kind === 'list') {
      for (const [at, item] of node.items.entries()) add(item, place, at);
    }
    if (node.kind === 'map') {
      for (const { key, keyStart, value } of node.entries.values()) {
        places.push({ start: keyStart, parent: place, part: key });
        add(value, place, key);
      }
    }
  };
  add(root, null, '');
  return places.sort((a, b) => a.start - b.start);
}

/** The last place that begins at the offset or before it. */
function findLast(places: readonly Place[], offset: number): Place | null {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return places[low - 1] ?? null;
}

function pointerOf(place: Place | null): string {
  const parts: string[] = [];
  for (let at = place; at?.parent; at = at.parent) parts.unshift(`/${escapePart(String(at.part))}`);
  return parts.join('');
}

const escapePart = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');
