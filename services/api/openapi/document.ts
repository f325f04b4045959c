import { type JsonSchema, Schemas } from '../../../contract/json-schemas.ts';
import { environment, publicUrl } from '../../../environment/environment.ts';
import { contracts } from '../../contracts.ts';
import { allRoutes } from '../../routes.ts';
import { operationOf } from './operation.ts';
import { PROBLEM } from './problem-schema.ts';

const OAUTH_ERROR: JsonSchema = {
  type: 'object',
  description: 'A refused request for a token (RFC 6749, section 5.2).',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', examples: ['invalid_client'] },
    error_description: { type: 'string' },
  },
};

const HEADERS: JsonSchema = {
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

const SECURITY_SCHEMES: JsonSchema = {
  'bearer-key': { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  'client-basic': {
    type: 'http',
    scheme: 'basic',
    description: 'The client id and the client secret of a service account',
  },
  'api-key': { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
  'api-key-query': { type: 'apiKey', in: 'query', name: 'api_key' },
};

let document: JsonSchema | undefined;

/** The OpenAPI 3.1 document of the interface. It is made of the contracts once, at the first request. */
export function openapiDocument(): JsonSchema {
  document ??= build();
  return document;
}

/** The address of the service; relative to the document where the port is not known. */
const serverUrl = (): string =>
  environment.PUBLIC_URL === undefined && environment.PORT === 0 ? '/' : publicUrl;

function build(): JsonSchema {
  const schemas = new Schemas('#/components/schemas/');
  const paths: Record<string, JsonSchema> = {};
  for (const route of allRoutes()) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Workspace Automation Service',
      version: 'v1',
      description: 'Workspaces, members, issues, flows, workflows and their durable runs.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: serverUrl() }],
    tags: contracts.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: { Problem: PROBLEM, OAuthError: OAUTH_ERROR, ...schemas.components },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
