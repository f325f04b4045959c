import { equalValues } from './compare.ts';
import { keyOf } from './keys.ts';
import type { Value } from './values.ts';

/** Values up to which a set compares one by one, because that is faster than making keys. */
const FEW = 4;

/** A set of values by MongoDB's equality: 1 and 1.0 are one value. Membership does not depend on the set's size. */
export class ValueSet {
  private readonly few: Value[] = [];
  private keys: Set<string> | undefined;

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.add(value);
  }

  has(value: Value): boolean {
    return this.keys
      ? this.keys.has(textKey(value))
      : this.few.some((known) => equalValues(known, value));
  }

  /** Adds a value. Returns whether the set did not have it. */
  add(value: Value): boolean {
    if (this.keys === undefined) {
      if (this.has(value)) return false;
      this.few.push(value);
      if (this.few.length > FEW) this.keys = new Set(this.few.map(textKey));
      return true;
    }
    const { size } = this.keys;
    return this.keys.add(textKey(value)).size > size;
  }
}

const textKey = (value: Value): string => keyOf([value]).toString('latin1');
