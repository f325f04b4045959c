import { MongoError } from '../errors.ts';

/** Milliseconds since the epoch of JavaScript's last date; the first date is the negated number. Other dates are refused. */
const MAX_DATE = 8_640_000_000_000_000;

/** Reads a date from the two halves of its 64-bit number. A number that loses digits as a double is beyond `MAX_DATE`. */
export function decodeDate(bytes: Buffer, at: number): Date {
  const ms = bytes.readInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
  if (ms > MAX_DATE || ms < -MAX_DATE) {
    throw new MongoError('BadValue', 'The embedded database engine keeps dates to the year 275760');
  }
  return new Date(ms);
}
