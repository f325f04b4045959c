import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'wsk_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECK_LENGTH = 6;
const FORM = /^wsk_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** A new API key: 190 random bits and a checksum, so that a mistyped or invented key costs no query. */
export function newApiKey(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]);
  return withChecksum(secret.join(''));
}

/** The key of a secret of 32 base62 characters. */
export const withChecksum = (secret: string): string => PREFIX + secret + checksum(secret);

/** Whether the text has the form of a key and its checksum fits. */
export function isWellFormed(key: string): boolean {
  const [, secret = '', check] = FORM.exec(key) ?? [];
  return check !== undefined && checksum(secret) === check;
}

/** The prefix and the last characters of a key, by which the key's owner recognises the key in a list. */
export const hintsOf = (key: string): { prefix: string; lastFour: string } => ({
  prefix: key.slice(0, PREFIX.length + 4),
  lastFour: key.slice(-4),
});

/** CRC-32 in base62, six digits. */
function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  while (text.length < CHECK_LENGTH) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}
