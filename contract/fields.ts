import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';
import { ROLES } from './access-rule.ts';

/** The types that contracts are composed of. Contracts import these and define no twins of them. */

/** A resource's identifier: an integer from 1 to 2^53-1. */
export const Id = z
  .int()
  .positive()
  .meta({ id: 'Id', description: 'A positive integer up to 2^53-1' });

/** What a text that is no id is told. */
export const INVALID_ID = `must be an id: decimal digits, from 1 to ${Number.MAX_SAFE_INTEGER}`;
const ID_TEXT = /^[1-9]\d{0,15}$/;
/** An id in a path or a query: decimal digits from HTTP, or a number from `ctx.call`. */
export const IdText = z
  .union([Id, z.string().regex(ID_TEXT).transform(Number).pipe(Id)], {
    error: INVALID_ID,
  })
  .meta({
    override: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  });

/** A whole number in a query, within bounds. */
export const IntText = (least: number, most: number) =>
  z
    .union(
      [
        z.int(),
        z
          .string()
          .regex(/^(0|[1-9]\d{0,14})$/)
          .transform(Number),
      ],
      {
        error: `must be a whole number from ${least} to ${most}`,
      },
    )
    .refine((n) => n >= least && n <= most, `must be a whole number from ${least} to ${most}`)
    .meta({ override: { type: 'integer', minimum: least, maximum: most } });

/** `true` or `false`: as text in a query, as a boolean from `ctx.call`. */
export const BooleanText = z
  .union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })], {
    error: 'must be true or false',
  })
  .meta({ override: { type: 'boolean' } });

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const LINE_CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but tab and line feed
const TEXT_CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Invisible characters and those that change the direction of text. Names may have some, as scripts and emoji need them. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
/** Embeddings, overrides and isolates of bidirectional text. They change the order in which a line is shown. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;
/** A visible character. U+2800 is none: a braille pattern without a dot. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\u2800\p{Default_Ignorable_Code_Point}]]/v;

/** A name or title: trimmed, 1 to 200 characters, one line, with a visible character. */
export const Name = z
  .string()
  .trim()
  .min(1, 'must have at least 1 character')
  .max(200, 'must have at most 200 characters')
  .refine((text) => !LINE_CONTROL.test(text), 'must not have line breaks or control characters')
  .refine((text) => !TURNS.test(text), 'must not have characters that turn text around')
  .refine((text) => text === '' || VISIBLE.test(text), 'must have something to see')
  .meta({ description: 'One line of 1 to 200 characters; white space around it is left out' });

/** Characters (UTF-16 code units) of a description; a longer description is refused. */
export const MAX_DESCRIPTION_CHARS = 10_000;

/** Free text; CRLF becomes LF. May be empty. */
export const Description = z
  .string()
  .transform((text) => text.replaceAll('\r\n', '\n'))
  .pipe(
    z
      .string()
      .max(MAX_DESCRIPTION_CHARS, `must have at most ${MAX_DESCRIPTION_CHARS} characters`)
      .refine((text) => !TEXT_CONTROL.test(text), 'must not have control characters'),
  )
  .meta({
    description: `Text of up to ${MAX_DESCRIPTION_CHARS} characters; may be empty`,
    override: { type: 'string', maxLength: MAX_DESCRIPTION_CHARS },
  });

/** An e-mail address to look a user up by. Addresses are compared by `emailKey`. */
export const Email = z
  .string()
  .trim()
  .max(254, 'must have at most 254 characters')
  .pipe(
    z
      .string()
      .regex(
        /^[^\s@"(),:;<>[\\\]\p{Cc}]+@[^\s@"(),:;<>[\\\]\p{Cc}]+\.[^\s@"(),:;<>[\\\]\p{Cc}.]{2,}$/u,
        'must be an e-mail address',
      ),
  )
  .meta({
    description: 'An e-mail address; case does not count',
    override: { type: 'string', format: 'email', maxLength: 254 },
  });

/** The e-mail address of a new user. Mail can be sent to the address, and no other address looks the same. */
export const NewEmail = Email.refine(isDeliverable, 'must be an e-mail address').meta({
  description: 'An e-mail address that mail can be sent to',
  override: { type: 'string', format: 'email', maxLength: 254 },
});

/** The part before the `@`: dots only between its labels, and letters of every script (RFC 6531). */
const LOCAL_PART = /^[^.]+(?:\.[^.]+)*$/;
/** The greatest length of the local part in bytes (RFC 5321, 4.5.3.1.1). */
const LONGEST_LOCAL_PART = 64;

function isDeliverable(email: string): boolean {
  const [local = '', domain = ''] = email.split('@');
  if (INVISIBLE.test(email) || !LOCAL_PART.test(local)) return false;
  return Buffer.byteLength(local) <= LONGEST_LOCAL_PART && isDomain(domain);
}

/** Whether the text is a host name of any script, in the form that browsers give it. */
function isDomain(domain: string): boolean {
  const plain = domain.normalize('NFC').toLowerCase();
  const ascii = domainToASCII(plain);
  const labels = ascii.split('.');
  return (
    z.regexes.hostname.test(ascii) &&
    labels.length > 1 &&
    /[^\d]/.test(labels.at(-1) ?? '') &&
    [ascii, domainToUnicode(ascii)].includes(plain)
  );
}

/** The domain of e-mail addresses: a host name of any script with at least two labels, in ASCII and lower case. */
export const Domain = z
  .string()
  .trim()
  .max(253, 'must have at most 253 characters')
  .refine((text) => !INVISIBLE.test(text) && isDomain(text), 'must be a domain such as example.com')
  .transform((text) => domainToASCII(text.normalize('NFC').toLowerCase()))
  .meta({
    description: 'A domain such as `example.com`',
    override: { type: 'string', format: 'idn-hostname', maxLength: 253 },
  });

/** The form of an address under which it is compared: trimmed, lower case, NFC, the domain in ASCII. */
export function emailKey(email: string): string {
  const key = email.trim().normalize('NFC').toLowerCase().normalize('NFC');
  const domain = key.slice(key.lastIndexOf('@') + 1);
  const ascii = NON_ASCII.test(domain) && domainToASCII(domain);
  return ascii ? `${key.slice(0, -domain.length)}${ascii}` : key;
}
const NON_ASCII = /\P{ASCII}/u;

export const Role = z
  .enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` })
  .meta({ id: 'Role', description: 'The role of a member in a workspace' });

/** The time of an answer: ISO 8601 in UTC with milliseconds and `Z`. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({
  id: 'Timestamp',
  description: 'ISO 8601 in UTC with milliseconds',
  examples: ['2026-01-31T09:30:00.000Z'],
});

const DATE_TIME_FORM =
  'must be a date and time in ISO 8601 with Z or an offset, such as 2026-01-31T09:30:00Z';
/** Four digits of a year: a time whose offset leads beyond them has no `Timestamp`. */
const FOUR_DIGIT_YEAR = /^\d{4}-/;

/**
 * The time of a request: ISO 8601 with `Z` or an offset, with any number of fraction digits or none. The value is a
 * `Timestamp`: in UTC, digits beyond the milliseconds are dropped.
 */
export const DateTime = z.iso
  .datetime({ offset: true, error: DATE_TIME_FORM })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => FOUR_DIGIT_YEAR.test(text), DATE_TIME_FORM)
  .meta({
    id: 'DateTime',
    description:
      'ISO 8601 with `Z` or an offset; fraction digits may be left out, and those beyond milliseconds are dropped',
    override: { type: 'string', format: 'date-time', examples: ['2026-01-31T09:30:00Z'] },
  });

/** Any JSON value. */
export const AnyJson = z.unknown().meta({ description: 'Any JSON value' });

/** The query parameters of every list. */
export const listQuery = {
  limit: IntText(1, 1000).default(1000).meta({ description: 'The most entries of the answer' }),
  after: z
    .string()
    .regex(/^[\w-]{1,200}$/, 'must be the cursor of a Link header')
    .optional()
    .meta({ description: 'The cursor of the page before, where the list goes on' }),
};
/**
 * The type of a page of a list. The gateway sends `items` as a plain array, and `after` as
 * `Link: <...>; rel="next"` (RFC 8288).
 */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), after: z.string().nullable() });

/** A secret that only the first answer contains: a field of `shownOnce`. */
export const ShownOnce = z.string().nullable().meta({
  description: 'Shown this once; null in the answer to a repeat with the same `Idempotency-Key`',
});
