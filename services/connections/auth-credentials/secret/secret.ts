import { z } from 'zod';
import { originOf } from '../origins/origins.ts';
import { isFreeHeader, isHeaderName } from './header-names.ts';

/** Characters of a secret value. A shorter value could be guessed, and would be masked in texts that do not contain it. */
const SHORTEST_SECRET = 8;
/** Bytes of a secret value. A longer one does not fit beside other headers in a request. */
const LONGEST_SECRET = 4096;
/** Characters of a user name, a client id, or the name of an API key. */
const LONGEST_NAME = 255;
/** Characters of a token URL. */
const LONGEST_URL = 2048;
/** Scopes of a token, and characters of all of them. */
const MOST_SCOPES = 100;
const LONGEST_SCOPES = 4096;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const NO_CONTROL = 'must not have line breaks or other control characters';
/** The characters of a header value that every server reads alike, without spaces. */
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
/** The characters of client ids and client secrets (RFC 6749, appendix A). */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** A scope token (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const secretText = z
  .string()
  .min(SHORTEST_SECRET, `must have at least ${SHORTEST_SECRET} characters`)
  .refine(
    (text) => Buffer.byteLength(text) <= LONGEST_SECRET,
    `must have at most ${LONGEST_SECRET} bytes`,
  )
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine((text) => !CONTROL.test(text), NO_CONTROL)
  .refine((text) => !/^\*+$/.test(text), 'must not be a mask of asterisks')
  .meta({ override: { type: 'string', format: 'password', minLength: SHORTEST_SECRET } });
const asciiSecret = (pattern: RegExp, message: string) =>
  secretText
    .refine((text) => pattern.test(text), message)
    .meta({ override: { type: 'string', format: 'password', minLength: SHORTEST_SECRET } });
const shortText = z
  .string()
  .max(LONGEST_NAME, `must have at most ${LONGEST_NAME} characters`)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine((text) => !CONTROL.test(text), NO_CONTROL);

/** A user name and a password of HTTP Basic (RFC 7617), in UTF-8. The user name may be empty. */
const BasicSecret = z.strictObject({
  username: shortText.refine((text) => !text.includes(':'), 'must not have a colon'),
  password: secretText,
});

/** A bearer token (RFC 6750). */
const BearerSecret = z.strictObject({
  token: asciiSecret(VISIBLE_ASCII, 'must be visible ASCII characters, without spaces'),
});

const keyPlace = z.enum(['header', 'query'], { error: 'must be header or query' });
/** An API key in a header or in a parameter of the query. */
const ApiKeySecret = z
  .strictObject({
    name: shortText.min(1, 'must have at least 1 character'),
    in: keyPlace,
    value: secretText,
  })
  .superRefine(({ name, in: place, value }, context) => {
    if (place !== 'header') return;
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (!isHeaderName(name)) refuse('name', 'must be the name of a header');
    else if (!isFreeHeader(name))
      refuse('name', `must not be ${name}, which callers set themselves`);
    if (!PRINTABLE_ASCII.test(value) || value !== value.trim()) {
      refuse('value', 'must be ASCII without spaces at its ends, because it is sent in a header');
    }
  });

const scopeList = z.union([
  z.array(z.string()).max(MOST_SCOPES, `must have at most ${MOST_SCOPES} items`),
  z.string().transform((text) => text.split(' ').filter(Boolean)),
]);
const scopes = scopeList
  .refine((list) => list.every((scope) => SCOPE.test(scope)), 'must be scopes as in RFC 6749')
  .refine(
    (list) => list.length <= MOST_SCOPES && list.join(' ').length <= LONGEST_SCOPES,
    `must have at most ${MOST_SCOPES} scopes and ${LONGEST_SCOPES} characters`,
  )
  .transform((list) => [...new Set(list)])
  .meta({
    override: {
      type: 'array',
      items: { type: 'string' },
      description: 'Scopes, as a list or in one text with spaces between them',
    },
  });

const TOKEN_URL =
  'must be an absolute http or https URL without credentials and without a fragment';
const tokenUrl = z
  .string()
  .max(LONGEST_URL, `must have at most ${LONGEST_URL} characters`)
  .refine(isTokenUrl, TOKEN_URL)
  .transform(normalisedUrl);

function isTokenUrl(text: string): boolean {
  const url = /[\s\\#]/.test(text) ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

/** The URL whose host is in the form of `originOf`. */
function normalisedUrl(text: string): string {
  const url = URL.parse(text);
  return url ? `${originOf(url)}${url.pathname}${url.search}` : text;
}

/** The client credentials of OAuth 2 (RFC 6749, section 4.4). */
const OAuthSecret = z.strictObject({
  tokenUrl,
  clientId: shortText
    .min(1, 'must have at least 1 character')
    .refine((text) => PRINTABLE_ASCII.test(text), 'must be ASCII'),
  clientSecret: asciiSecret(PRINTABLE_ASCII, 'must be ASCII'),
  scopes: scopes.default([]),
});

/** A type of credential with the secret that the type has. */
export const TypedSecret = z.discriminatedUnion('authType', [
  z.strictObject({
    authType: z.literal('NONE'),
    secret: z
      .undefined({ error: 'must be absent, because the type NONE has no secret' })
      .optional(),
  }),
  z.strictObject({ authType: z.literal('BASIC'), secret: BasicSecret }),
  z.strictObject({ authType: z.literal('BEARER'), secret: BearerSecret }),
  z.strictObject({ authType: z.literal('API_KEY'), secret: ApiKeySecret }),
  z.strictObject({ authType: z.literal('OAUTH2_CLIENT_CREDENTIALS'), secret: OAuthSecret }),
]);
export type TypedSecret = z.output<typeof TypedSecret>;
export type ApiKeySecret = z.output<typeof ApiKeySecret>;

/** A secret of any type in a request. The type of the credential decides about its shape: `TypedSecret`. */
export const GivenSecret = z.record(z.string(), z.unknown()).meta({
  override: {
    type: 'object',
    writeOnly: true,
    description:
      'BASIC: `username`, `password`. BEARER: `token`. API_KEY: `name`, `in` (header or query), `value`. ' +
      'OAUTH2_CLIENT_CREDENTIALS: `tokenUrl`, `clientId`, `clientSecret`, `scopes`. NONE: no secret. ' +
      `A password, token, value or client secret has at least ${SHORTEST_SECRET} characters. ` +
      'No answer contains the secret.',
  },
});
export type GivenSecret = z.output<typeof GivenSecret>;
