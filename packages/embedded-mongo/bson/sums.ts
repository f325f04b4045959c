import type { Decimal128 } from 'bson';
import { fitsLong, intOrLong } from './arithmetic.ts';
import { addDecimals, decimalOf, wholeDecimal } from './decimals.ts';
import type { Numeric } from './numbers.ts';
import { Double } from './values.ts';

const HALF = 4_294_967_296n;

/**
 * A sum of numbers of all types, in the widest type of them. Integers are added exactly without overflow; doubles with
 * the rounding error of each addition; decimals apart.
 */
export class NumberSum {
  private small = 0;
  private large = 0n;
  private long = false;
  private doubles: DoubleSum | undefined;
  private decimal: Decimal128 | undefined;

  add(value: Numeric): void {
    if (typeof value === 'number') this.integer(value);
    else if (typeof value === 'bigint') {
      this.long = true;
      this.large += value;
    } else if (value instanceof Double) {
      this.doubles ??= new DoubleSum();
      this.doubles.add(value.value);
    } else this.decimal = this.decimal ? addDecimals(this.decimal, value) : value;
  }

  private integer(value: number): void {
    const sum = this.small + value;
    if (Number.isSafeInteger(sum)) this.small = sum;
    else {
      this.large += BigInt(this.small) + BigInt(value);
      this.small = 0;
    }
  }

  get result(): Numeric {
    if (this.large === 0n && !this.long && !this.doubles && !this.decimal) {
      return this.small === (this.small | 0) ? this.small : BigInt(this.small);
    }
    const integer = this.large + BigInt(this.small);
    if (this.decimal) return this.withDecimal(this.decimal, integer);
    if (this.doubles) return new Double(this.doubles.withInteger(integer).value);
    if (!fitsLong(integer)) return new Double(Number(integer));
    return this.long ? integer : intOrLong(integer);
  }

  private withDecimal(decimal: Decimal128, integer: bigint): Decimal128 {
    if (!this.doubles)
      return integer === 0n ? decimal : addDecimals(decimal, decimalOf(integer, 0));
    return addDecimals(decimal, this.doubles.withInteger(integer).decimal);
  }
}

/** A sum of doubles and its rounding error, by Møller's and Knuth's 2Sum. */
class DoubleSum {
  private sum = 0;
  private rest = 0;
  /** The plain sum, which is the result when an infinity makes the other fields NaN. */
  private plain = 0;

  add(value: number): void {
    this.plain += value;
    const x = value + this.rest;
    this.rest -= x - value;
    const sum = this.sum + x;
    const before = sum - x;
    this.rest += this.sum - before + (x - (sum - before));
    this.sum = sum;
  }

  /** Adds an integer, split into parts that doubles hold exactly. */
  withInteger(n: bigint): DoubleSum {
    if (n === 0n) return this;
    const other = new DoubleSum();
    Object.assign(other, this);
    const low = n % HALF;
    other.add(Number(low));
    other.add(Number(n - low));
    return other;
  }

  get value(): number {
    return Number.isNaN(this.sum) ? this.plain : this.sum;
  }

  get decimal(): Decimal128 {
    if (!Number.isFinite(this.sum)) return wholeDecimal(this.plain);
    return addDecimals(wholeDecimal(this.sum), wholeDecimal(this.rest));
  }
}
