/** What each kind of encoder leaves as it is. The ASCII characters that it lacks are percent-encoded. */
const UNRESERVED = [
  /[A-Za-z0-9\-_.~]/, // RFC 3986
  /[A-Za-z0-9\-_.~/]/, // Python's quote
  /[A-Za-z0-9\-_.!~*'()]/, // encodeURIComponent
  /[A-Za-z0-9\-_.!~*()]/, // encodeURIComponent, in a query of the URL parser
  /[A-Za-z0-9\-_.!~*'();/?:@&=+$,#]/, // encodeURI
  /[A-Za-z0-9\-_.!~*'();/?:@&=+$,%[\]|^\\]/, // a path of the URL parser
  /[A-Za-z0-9\-_.!~*();/?:@&=+$,%[\]|^\\`{}]/, // a query of the URL parser
] as const;

/** `application/x-www-form-urlencoded`: of the WHATWG and of Java, which write a space as `+`. */
const FORM = /[A-Za-z0-9\-_.* ]/;

/** The percent-encoded spellings of bytes, with hexadecimal digits of either case. */
export function percentSpellings(bytes: Buffer): string[] {
  const spelled = [
    ...UNRESERVED.map((kept) => percentEncode(bytes, kept)),
    percentEncode(bytes, FORM).replaceAll(' ', '+'),
  ];
  return spelled.flatMap((text) => [text, lowerCaseEscapes(text)]);
}

/** The spellings in which every byte is percent-encoded. */
export function wholePercentSpellings(bytes: Buffer): string[] {
  const text = percentEncode(bytes, /(?!)/);
  return [text, text.toLowerCase()];
}

/** The spellings of an encoded text that is encoded again, such as in an address that is a parameter of another one. */
export function nestedPercentSpellings(bytes: Buffer): string[] {
  return percentSpellings(bytes).map((text) => text.replaceAll('%', '%25'));
}

function percentEncode(bytes: Buffer, kept: RegExp): string {
  return Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    return byte < 0x80 && kept.test(char) ? char : `%${byteText(byte)}`;
  }).join('');
}

const byteText = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

const lowerCaseEscapes = (text: string): string =>
  text.replace(/%[0-9A-F]{2}/g, (encoded) => encoded.toLowerCase());
