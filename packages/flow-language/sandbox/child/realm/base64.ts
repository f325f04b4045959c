/** JSONata's `$base64encode` and `$base64decode`, for text in UTF-8. Base64 has the same bytes as Node's `Buffer`. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes a text in UTF-8. Half of a surrogate pair becomes U+FFFD. */
export function encodeText(text: string): string {
  return encodeBase64(unescape(encodeURIComponent(text.toWellFormed())));
}

/** Decodes a text in UTF-8. Throws for bytes that are none. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(escape(decodeBase64(text)));
  } catch {
    throw { message: '$base64decode gives text in UTF-8, and these bytes are none' };
  }
}

/** Encodes the lower byte of each character. */
export function encodeBase64(text: string): string {
  let encoded = '';
  for (let at = 0; at < text.length; at += 3) {
    const left = Math.min(3, text.length - at);
    const bits =
      ((text.charCodeAt(at) & 255) << 16) |
      (left > 1 ? (text.charCodeAt(at + 1) & 255) << 8 : 0) |
      (left > 2 ? text.charCodeAt(at + 2) & 255 : 0);
    for (let digit = 0; digit < 4; digit++) {
      encoded += digit <= left ? ALPHABET.charAt((bits >> (18 - 6 * digit)) & 63) : '=';
    }
  }
  return encoded;
}

/** Decodes up to the first `=` and ignores characters that are no digits. `-` and `_` count as digits. */
export function decodeBase64(text: string): string {
  let decoded = '';
  let bits = 0;
  let count = 0;
  for (let at = 0; at < text.length && text.charAt(at) !== '='; at++) {
    const value = digitOf(text.charAt(at));
    if (value < 0) continue;
    bits = ((bits << 6) | value) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    decoded += String.fromCharCode((bits >> count) & 255);
  }
  return decoded;
}

function digitOf(character: string): number {
  if (character === '-') return 62;
  if (character === '_') return 63;
  return ALPHABET.indexOf(character);
}
