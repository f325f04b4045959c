/** A kind of encoder: the characters that it escapes although JSON does not ask for it, and its escapes. */
interface Encoder {
  escaped: RegExp;
  spell: (char: string) => string;
}

const fourDigits = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0');
const lower = (char: string): string => `\\u${fourDigits(char)}`;
const upper = (char: string): string => `\\u${fourDigits(char).toUpperCase()}`;
const slashOr = (other: (char: string) => string) => (char: string) =>
  char === '/' ? '\\/' : other(char);

// Each expression matches UTF-16 units, so that a surrogate pair becomes two escapes.
const NON_ASCII = /[\u0080-\uffff]/g;
const ENCODERS: readonly Encoder[] = [
  { escaped: /\//g, spell: slashOr(lower) },
  { escaped: NON_ASCII, spell: lower }, // Python
  { escaped: NON_ASCII, spell: upper },
  { escaped: /[/\u0080-\uffff]/g, spell: slashOr(lower) }, // PHP
  { escaped: /[/\u0080-\uffff]/g, spell: slashOr(upper) },
  { escaped: /[<>&\u2028\u2029]/g, spell: lower }, // Go
  { escaped: /[<>&'=]/g, spell: lower }, // Gson
  { escaped: /[<>&'+`\u0080-\uffff]/g, spell: upper }, // .NET, which writes a quote as \u0022
];

/** The spellings of a text in a JSON string, and in a JSON string inside another. */
export function jsonSpellings(text: string): string[] {
  const once = stringified(text);
  return [
    once,
    stringified(once),
    ...ENCODERS.flatMap(({ escaped, spell }) => {
      const spelled = once.replace(escaped, spell);
      return [spelled, spelled.replaceAll('\\"', '\\u0022')];
    }),
  ];
}

/** The spellings in which every character is an escape. */
export function wholeJsonSpellings(text: string): string[] {
  return [lower, upper].map((spell) => text.split('').map(spell).join(''));
}

const stringified = (text: string): string => JSON.stringify(text).slice(1, -1);
