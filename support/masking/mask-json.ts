import type { Json } from '@workspace-automation/flow-language';
import { UniqueNames } from './unique-names.ts';

/** How the parts of a value are masked. */
interface PartMasks {
  text: (text: string) => string;
  number: (value: number) => number | string;
}

type JsonObject = { [key: string]: Json };

/**
 * Copies a JSON value and masks its strings, its numbers and the keys of its objects. Of keys that are equal after
 * masking, the later ones get a number. The value may be nested to any depth.
 */
export function maskJson(value: Json, masks: PartMasks): Json {
  /** Copies of containers that have no content yet. The list takes the place of recursion. */
  const unfilled: (() => void)[] = [];
  const masked = maskPart(value);
  for (let fill = unfilled.pop(); fill; fill = unfilled.pop()) fill();
  return masked;

  function maskPart(part: Json): Json {
    if (typeof part === 'string') return masks.text(part);
    if (typeof part === 'number') return masks.number(part);
    if (typeof part !== 'object' || part === null) return part;
    return Array.isArray(part) ? maskArray(part) : maskObject(part);
  }

  function maskArray(items: readonly Json[]): Json[] {
    const copy: Json[] = [];
    unfilled.push(() => {
      for (const item of items) copy.push(maskPart(item));
    });
    return copy;
  }

  function maskObject(object: JsonObject): JsonObject {
    const copy: JsonObject = {};
    unfilled.push(() => {
      const names = new UniqueNames();
      for (const [key, part] of Object.entries(object)) {
        define(copy, names.take(masks.text(key)), maskPart(part));
      }
    });
    return copy;
  }
}

/** Sets a property of the object's own, also one with the name `__proto__`. */
function define(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
