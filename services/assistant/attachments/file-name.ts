import { invalidField } from '../../../contract/problem.ts';

/** Bytes of a name in UTF-8. A longer name is cut before its ending. */
const MAX_BYTES = 255;
/** Control characters, lone surrogates, and characters that change the direction of text. */
const REMOVED = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu;
/** Names of devices of Windows, with and without an ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Makes the name of a file of the one that a client gives, which may be a path: its last segment, in NFC, without control
 * characters. Throws 400 for a name without anything left.
 */
export function fileNameOf(given: string): string {
  const segment = given.split(/[\\/]/).at(-1) ?? '';
  const name = trimmed(segment.normalize('NFC').replace(REMOVED, ''));
  if (name === '' || /^\.+$/.test(name)) {
    throw invalidField('file', 'invalid_name', 'must have a name that is more than a path');
  }
  return cut(DEVICE.test(name) ? `_${name}` : name);
}

/** The ending of a name in lower case, without its point; empty for none. */
export const endingOf = (name: string): string =>
  /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Without spaces around, and without the points at the end that Windows drops. */
const trimmed = (name: string): string => name.trim().replace(/[\s.]+$/, '');

function cut(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const ending = endingOf(name);
  const tail = ending && Buffer.byteLength(ending) < MAX_BYTES / 2 ? `.${ending}` : '';
  const room = MAX_BYTES - Buffer.byteLength(tail);
  const head = Buffer.from(name)
    .subarray(0, room)
    .toString()
    .replace(/\ufffd+$/, '');
  return `${trimmed(head)}${tail}`;
}
