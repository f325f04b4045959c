/** Counts the bytes of a text in UTF-8. Half a surrogate pair counts 3, as its replacement character does. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else bytes += 2;
    if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(at + 1))) at += 1;
  }
  return bytes;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code < 0xe000;
