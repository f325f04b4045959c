import type { Pattern } from './pattern.ts';

/** Bytes that may stand before a secret in its group of three. */
const OFFSETS = [0, 1, 2] as const;

/**
 * The patterns of bytes in base64 and base64url, wherever in a larger text the bytes stand: for each of the three
 * alignments the characters that the bytes determine alone. The characters beside them contain bits of the secret.
 */
export function base64Patterns(bytes: Buffer): Pattern[] {
  return OFFSETS.flatMap((offset) => {
    const { text, before, after } = alignedAt(offset, bytes);
    const url = text.replaceAll('+', '-').replaceAll('/', '_');
    return [text, url, ...escapedSpellings(text)].map((spelling) => ({
      text: spelling,
      before,
      after,
    }));
  });
}

function alignedAt(offset: 0 | 1 | 2, bytes: Buffer): Pattern {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const bits = (offset + bytes.length) * 8;
  return {
    text: text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6)),
    before: offset === 0 ? 0 : 1,
    after: bits % 6 === 0 ? 0 : 1,
  };
}

/** Base64 in a URL, and in JSON of an encoder that escapes slashes. */
function escapedSpellings(text: string): string[] {
  const encoded = encodeURIComponent(text);
  const lower = encoded.replaceAll('%2B', '%2b').replaceAll('%2F', '%2f');
  return [encoded, lower, text.replaceAll('/', '\\/')];
}
