import { z } from 'zod';
import { LONGEST_ORIGIN, parseOrigin } from './origins.ts';

/** Origins of one credential; more are refused. */
const MOST_ORIGINS = 20;

const Origin = z
  .string()
  .transform((text, context) => {
    const origin = parseOrigin(text);
    if (origin !== null) return origin;
    const message =
      'must be an origin such as https://api.example.com or https://api.example.com:8443: scheme, host and port only';
    context.issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', format: 'uri', maxLength: LONGEST_ORIGIN } });

/** The origins that a secret may be sent to: normalised, each once, in the order of the request. */
export const AllowedOrigins = z
  .array(Origin)
  .max(MOST_ORIGINS, `must have at most ${MOST_ORIGINS} items`)
  .transform((origins) => [...new Set(origins)])
  .meta({
    override: {
      type: 'array',
      maxItems: MOST_ORIGINS,
      items: { type: 'string', format: 'uri', maxLength: LONGEST_ORIGIN },
      description:
        'Scheme, host and port of the servers that the secret may be sent to; at least one unless the type is NONE',
    },
  });
