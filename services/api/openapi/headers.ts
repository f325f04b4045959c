import type { ActionContract } from '../../../contract/contract.ts';
import type { JsonSchema } from '../../../contract/json-schemas.ts';

/** The response headers that operations share, as components of the document. */
export const HEADERS: JsonSchema = {
  RequestId: { description: 'Names the request in our log', schema: { type: 'string' } },
  Location: { description: 'Where what was made can be read', schema: { type: 'string' } },
  ETag: {
    description: 'Names this answer, for `If-None-Match` and `If-Match` (RFC 9110, section 8.8.3)',
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description: '`true` where this is the answer to an earlier request with the same key',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimitPolicy: {
    description:
      'How many requests (`q`) a caller has in how many seconds (`w`); not where the limit is off (draft-ietf-httpapi-ratelimit-headers)',
    schema: { type: 'string', examples: ['"default";q=600;w=60'] },
  },
  RateLimit: {
    description: 'How many requests are left (`r`), and seconds until there is one more (`t`)',
    schema: { type: 'string', examples: ['"default";r=599;t=1'] },
  },
  RetryAfter: {
    description: 'Seconds after which the request may be sent again',
    schema: { type: 'integer' },
  },
  NextPage: {
    description: 'The next page, when more exist: `<...>; rel="next"` (RFC 8288)',
    schema: { type: 'string' },
  },
};

const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
const RATE_LIMIT = {
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
};

/** The headers of every answer of an operation. */
export const commonHeaders = ({ unlimited }: Pick<ActionContract, 'unlimited'>): JsonSchema =>
  unlimited ? REQUEST_ID : { ...REQUEST_ID, ...RATE_LIMIT };

export const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
export const LOCATION = { Location: { $ref: '#/components/headers/Location' } };
export const ETAG = { ETag: { $ref: '#/components/headers/ETag' } };
export const REPLAYED = {
  'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' },
};
export const NEXT_PAGE = { Link: { $ref: '#/components/headers/NextPage' } };
