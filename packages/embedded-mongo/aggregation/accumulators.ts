import { compareValues } from '../bson/compare.ts';
import { divideDecimals, toDecimal } from '../bson/decimals.ts';
import { isDecimal, isNumeric, toDouble } from '../bson/numbers.ts';
import { approximateSize } from '../bson/size.ts';
import { NumberSum } from '../bson/sums.ts';
import { ValueSet } from '../bson/value-set.ts';
import { Double, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { MAX_VALUE_BYTES } from './operators/arguments.ts';
import { ascending } from './operators/arrays.ts';
import { mergeObjects } from './operators/objects.ts';
import { isNullish } from './variables.ts';

/** Takes the value of each document of a group and returns the result of the group. */
export interface Accumulator {
  add(value: Value | undefined): void;
  result(): Value | undefined;
}

export class Sum implements Accumulator {
  private readonly sum = new NumberSum();
  add(value: Value | undefined): void {
    if (isNumeric(value)) this.sum.add(value);
  }
  result(): Value {
    return this.sum.result;
  }
}

class Average implements Accumulator {
  private readonly sum = new NumberSum();
  private count = 0;
  add(value: Value | undefined): void {
    if (!isNumeric(value)) return;
    this.sum.add(value);
    this.count++;
  }
  result(): Value | undefined {
    if (this.count === 0) return null;
    const total = this.sum.result;
    if (isDecimal(total)) return divideDecimals(total, toDecimal(this.count));
    return new Double(toDouble(total) / this.count);
  }
}

class Extreme implements Accumulator {
  private best: Value | undefined;
  private readonly sign: number;
  constructor(sign: number) {
    this.sign = sign;
  }
  add(value: Value | undefined): void {
    if (isNullish(value)) return;
    if (this.best === undefined || compareValues(value, this.best) * this.sign > 0)
      this.best = value;
  }
  result(): Value {
    return this.best ?? null;
  }
}

/** Keeps all values of a group. `finish` makes the result from the values. */
class Collected implements Accumulator {
  private readonly values: Value[] = [];
  private readonly finish: (values: Value[]) => Value | undefined;
  private readonly missing: Value | undefined;
  constructor(finish: (values: Value[]) => Value | undefined, missing?: Value) {
    this.finish = finish;
    this.missing = missing;
  }
  add(value: Value | undefined): void {
    const kept = value === undefined ? this.missing : value;
    if (kept !== undefined) this.values.push(kept);
  }
  result(): Value | undefined {
    return this.finish(this.values);
  }
}

/** Keeps the values of a group, as many as one value may have. */
class Pushed implements Accumulator {
  private readonly values: Value[] = [];
  private readonly name: string;
  private bytes = 0;
  constructor(name: string) {
    this.name = name;
  }
  add(value: Value | undefined): void {
    if (value === undefined) return;
    this.bytes += approximateSize(value);
    if (this.bytes > MAX_VALUE_BYTES)
      fail(
        'ExceededMemoryLimit',
        `${this.name} used too much memory and cannot spill to disk. Memory limit: ${MAX_VALUE_BYTES} bytes`,
      );
    this.values.push(value);
  }
  result(): Value {
    return this.values;
  }
}

/** Keeps the distinct values of a group, in the order of their first documents. */
class AddedToSet implements Accumulator {
  private readonly seen = new ValueSet();
  private readonly pushed = new Pushed('$addToSet');
  add(value: Value | undefined): void {
    if (value !== undefined && this.seen.add(value)) this.pushed.add(value);
  }
  result(): Value {
    return this.pushed.result();
  }
}

class Edge implements Accumulator {
  private value: Value | undefined;
  private filled = false;
  private readonly first: boolean;
  constructor(first: boolean) {
    this.first = first;
  }
  add(value: Value | undefined): void {
    if (this.first && this.filled) return;
    this.filled = true;
    this.value = value ?? null;
  }
  result(): Value | undefined {
    return this.value;
  }
}

function deviation(values: Value[], sample: boolean): Value {
  const numbers = values.filter(isNumeric).map(toDouble);
  const n = sample ? numbers.length - 1 : numbers.length;
  if (n < 1) return null;
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  return new Double(Math.sqrt(numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n));
}

/** The accumulators of one value of each document. */
export const MAKERS = new Map<string, () => Accumulator>([
  ['$sum', () => new Sum()],
  ['$avg', () => new Average()],
  ['$min', () => new Extreme(-1)],
  ['$max', () => new Extreme(1)],
  ['$first', () => new Edge(true)],
  ['$last', () => new Edge(false)],
  ['$push', () => new Pushed('$push')],
  ['$addToSet', () => new AddedToSet()],
  ['$mergeObjects', () => new Collected(mergeObjects)],
  ['$stdDevPop', () => new Collected((values) => deviation(values, false))],
  ['$stdDevSamp', () => new Collected((values) => deviation(values, true))],
]);

/** The accumulators of {input, n}. $firstN and $lastN keep null for a missing value. */
export const SEVERAL = new Map<string, (n: number) => Accumulator>([
  ['$firstN', (n) => new Collected((values) => values.slice(0, n), null)],
  ['$lastN', (n) => new Collected((values) => values.slice(-n), null)],
  ['$minN', (n) => new Collected((values) => ascending(values).slice(0, n))],
  ['$maxN', (n) => new Collected((values) => ascending(values).reverse().slice(0, n))],
]);

/** Evaluates $sum, $avg, $min and $max as expressions of one array or of several arguments. */
export function accumulate(name: string, values: (Value | undefined)[]): Value | undefined {
  const accumulator = (MAKERS.get(name) as () => Accumulator)();
  const [only] = values;
  for (const value of values.length === 1 && Array.isArray(only) ? only : values)
    accumulator.add(value);
  return accumulator.result();
}
