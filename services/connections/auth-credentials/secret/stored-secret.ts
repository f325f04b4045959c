import { z } from 'zod';
import type { TypedSecret } from './secret.ts';

/**
 * A secret as it is stored: shapes and types alone. The rules of lengths and characters are those of requests
 * (`TypedSecret`), so that a rule that is made stricter leaves stored secrets readable.
 */
export const StoredSecret: z.ZodType<TypedSecret> = z.discriminatedUnion('authType', [
  z.object({ authType: z.literal('NONE') }),
  z.object({
    authType: z.literal('BASIC'),
    secret: z.object({ username: z.string(), password: z.string() }),
  }),
  z.object({ authType: z.literal('BEARER'), secret: z.object({ token: z.string() }) }),
  z.object({
    authType: z.literal('API_KEY'),
    secret: z.object({ name: z.string(), in: z.enum(['header', 'query']), value: z.string() }),
  }),
  z.object({
    authType: z.literal('OAUTH2_CLIENT_CREDENTIALS'),
    secret: z.object({
      tokenUrl: z.string(),
      clientId: z.string(),
      clientSecret: z.string(),
      scopes: z.array(z.string()),
    }),
  }),
]);
