import { z } from 'zod';
import { type KeySet, readKeySet } from './values/key-set.ts';
import { providerUrl } from './values/provider-url.ts';
import { rateLimit } from './values/rate-limit.ts';
import { smtpUrl } from './values/smtp-url.ts';
import { list, oneOf, optional, withDefault } from './values/text-values.ts';

const keySet = z
  .string()
  .transform(readKeySet)
  .refine((keys): keys is KeySet => keys !== null, {
    error: 'a JWK set of ES256 private keys, each with a kid of its own',
  });

/** The variables of accounts, tokens and sign-in. */
export const identityVariables = {
  JWT_PRIVATE_KEYS: optional(keySet),
  MAIL_FROM: optional(z.email('an e-mail address')),
  OPERATOR_EMAIL_SUFFIXES: withDefault(list, ''),
  IDP_REGISTRATION_URL: optional(providerUrl),
  IDP_INITIAL_ACCESS_TOKEN: optional(z.string()),
  IDP_ISSUER: optional(providerUrl),
  REGISTRATION: withDefault(oneOf(['open', 'domains', 'closed']), 'open'),
  SMTP_URL: optional(smtpUrl),
  SIGN_IN_LIMIT: withDefault(rateLimit, '10/60'),
};
