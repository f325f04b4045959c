/** The times of `$fromMillis`, `$toMillis` and `$now`: a zone or a date that does not exist is an error, never another time. */

const MINUTE_MS = 60_000;
/** The first millisecond of the year 0, and the last of the year 9999. */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_999;

const OFFSET = /^([+-])([01]\d|2[0-3]):?([0-5]\d)$/;
const ZONE_NAME = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;
/** A zone's offset as `Intl` writes it. Before its standard time a zone may have seconds. */
const LONG_OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
/** Formats of zones that are kept. Beyond this number all are made again. */
const MAX_ZONES = 100;
const zones = new Map<string, Intl.DateTimeFormat>();

const ISO =
  /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d):(\d\d):(\d\d))?(?:\.(\d+))?([+-]\d\d:?\d\d|Z)?$/;

/** Returns a zone's offset from UTC at an instant, in milliseconds. Throws for no zone, and a time beyond the years 0 to 9999. */
export function offsetOf(zone: string | undefined, millis: number): number {
  const offset = zone === undefined ? 0 : zoneOffset(zone, bounded(millis));
  bounded(millis + offset);
  return offset;
}

function bounded(millis: number): number {
  if (millis >= FIRST_MS && millis <= LAST_MS) return millis;
  throw { message: `the time ${millis} is not in the years 0 to 9999` };
}

function zoneOffset(zone: string, millis: number): number {
  if (zone === 'Z') return 0;
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  if (sign) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const [, side, h = 0, m = 0, s = 0] = LONG_OFFSET.exec(formatOf(zone).format(millis)) ?? [];
  return (side === '-' ? -1 : 1) * ((Number(h) * 60 + Number(m)) * MINUTE_MS + Number(s) * 1000);
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = zones.get(zone);
  if (known) return known;
  const format = makeFormat(zone);
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(zone, format);
  return format;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    if (ZONE_NAME.test(timeZone)) {
      return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    }
  } catch {} // it is the name of no zone
  const shown = JSON.stringify(timeZone.slice(0, 100));
  throw {
    message: `${shown} is no zone: write "+01:00", "+0100", "Z" or a name such as "Europe/Berlin"`,
  };
}

/** Reads an ISO 8601 time, in a zone where the text has none. Returns null for a text in another form. */
export function millisOfIso(text: string, zone: string | undefined): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, year, month = 1, day = 1, hour = 0, minute = 0, second = 0, fraction = '', own] = match;
  const millis = Math.floor(Number(`0.${fraction}0`) * 1000 + 1e-6);
  const [Y, M, D, H, m, s] = [year, month, day, hour, minute, second].map(Number) as Six;
  return instantOf({ Y, M, D, H, m, s, f: millis }, own ?? zone, text);
}

type Six = [number, number, number, number, number, number];
/** The fields of a time by the letters of a picture: year, month from 1, day, hour, minute, second, millisecond. */
type Fields = Record<'Y' | 'M' | 'D' | 'H' | 'm' | 's' | 'f', number>;

/** Returns the instant of a time in a zone; the first of two. Throws for a time that does not exist. */
export function instantOf(
  { Y, M, D, H, m, s, f }: Fields,
  zone: string | undefined,
  text: string,
): number {
  const midnight = new Date(0).setUTCFullYear(Y, M - 1, D);
  const isDay = Y <= 9999 && new Date(midnight).getUTCMonth() === M - 1 && D > 0 && M > 0;
  const isEnd = H === 24 && m === 0 && s === 0 && f === 0;
  if (!isDay || !((H < 24 && m < 60 && s < 60 && f < 1000) || isEnd)) throw notThere(text);
  const local = midnight + (H * 60 + m) * MINUTE_MS + s * 1000 + f;
  if (zone === undefined) return bounded(local);
  const day = 24 * 60 * MINUTE_MS;
  const instants = [local - day, local + day]
    .map((near) => local - zoneOffset(zone, near))
    .filter((instant) => instant + zoneOffset(zone, instant) === local);
  if (instants.length === 0) throw notThere(`${text} in ${zone}`);
  return bounded(Math.min(...instants));
}

const notThere = (text: string) => ({
  message: `the time ${JSON.stringify(text.slice(0, 200))} does not exist`,
});
