import { type JsonSchema, Schemas } from '../../../contract/json-schemas.ts';
import { environment, publicUrl } from '../../../environment/environment.ts';
import { contracts } from '../../contracts.ts';
import { ACCESS_TOKEN_SECONDS } from '../../identity/contract/fields.ts';
import { allRoutes } from '../../routes.ts';
import { HEADERS } from './headers.ts';
import { operationOf } from './operation.ts';
import { PARAMETERS } from './parameters.ts';
import { problemComponents } from './problem-responses.ts';
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

const SECURITY_SCHEMES: JsonSchema = {
  'bearer-key': {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The `accessToken` of `POST /auth/register` or `POST /auth/sign-in`, or the `access_token` of `POST /auth/token`. ' +
      `It holds ${ACCESS_TOKEN_SECONDS / 60} minutes.`,
  },
  'client-basic': {
    type: 'http',
    scheme: 'basic',
    description: 'The client id and the client secret of a service account',
  },
  'api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description: 'The `key` of `POST /api-keys`',
  },
  'api-key-query': {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The same, for clients that cannot set a header',
  },
};

const DESCRIPTION = `Workspaces, members, issues, flows, workflows and their durable runs.

To begin: \`POST /auth/register\`, give the \`accessToken\` of its answer to *Authorize*, then \`POST /workspaces\`, \`POST /flows\`, \`POST /flows/{flowId}/runs\` and \`GET /flows/runs/{runId}\`. The examples tell one story on an empty database, where the first resource of each kind has the id 1.

Every failure is a problem document (RFC 9457) with a stable \`code\`. The codes of an operation stand beside each status.`;

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
      description: DESCRIPTION,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: serverUrl() }],
    tags: contracts.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: { Problem: PROBLEM, OAuthError: OAUTH_ERROR, ...schemas.components },
      parameters: PARAMETERS,
      responses: problemComponents(),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
