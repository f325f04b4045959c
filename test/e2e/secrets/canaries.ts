import { randomBytes } from 'node:crypto';

/** A secret whose every spelling can be searched for. */
export interface Canary {
  name: string;
  secret: string;
}

/** Characters in the middle of a canary, which each encoding spells in another way. */
const MIDDLES = ['', '"', '\\', '&', '+', '%', '/', '=', '<', '>', "'", '?', '#', ';', '~', ' '];

/** Makes as many canaries. The characters in their middle differ, so that each spelling differs from the others. */
export const makeCanaries = (count: number): Canary[] =>
  Array.from({ length: count }, (_, at) => {
    const random = randomBytes(6).toString('hex');
    const middle = MIDDLES[at % MIDDLES.length] ?? '';
    return { name: `canary ${at}`, secret: `Cnry${at}x${middle}${random}${middle}yrnC` };
  });

/** The spellings of a canary that a system may write: as itself, escaped, in an address, in base64 and in hex. */
export function spellingsOf({ secret }: Canary): string[] {
  const bytes = Buffer.from(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const uri = encodeURIComponent(secret);
  const spellings = [
    secret,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    uri,
    withSmallEscapes(uri),
    new URLSearchParams({ a: secret }).toString().slice(2),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...[0, 1, 2].flatMap((shift) => base64Within(bytes, shift)),
  ];
  return [...new Set(spellings)];
}

/** Writes the escapes of an address with small letters. */
export const withSmallEscapes = (text: string): string =>
  text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

/** The characters that every base64 text has that contains the bytes, `shift` bytes behind a group of three. */
function base64Within(bytes: Buffer, shift: number): string[] {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
  const start = shift === 0 ? 0 : shift + 1;
  const end = Math.floor((whole.length * 8) / 6);
  return [
    whole.toString('base64').slice(start, end),
    whole.toString('base64url').slice(start, end),
  ];
}

/** The canaries whose spellings a text contains, each with the spelling and what is around it. */
export const foundIn = (text: string, canaries: readonly Canary[]): string[] =>
  canaries.flatMap((canary) =>
    spellingsOf(canary)
      .filter((spelling) => text.includes(spelling))
      .map((spelling) => {
        const at = text.indexOf(spelling);
        const around = text.slice(Math.max(0, at - 80), at + spelling.length + 40);
        return `${canary.name}: ${JSON.stringify(around)}`;
      }),
  );
