import { z } from 'zod';
import {
  type ActionContract,
  isRequired,
  problemsOf,
  type Shape,
  takesKey,
} from '../../../contract/contract.ts';
import { hasEtag, takesIfMatch } from '../../../contract/etag-rule.ts';
import { takesIdempotencyKey } from '../../../contract/idempotency-rule.ts';
import type { JsonSchema, Schemas } from '../../../contract/json-schemas.ts';
import { IdempotencyKeyInFlight } from '../../../contract/problem.ts';
import { BODY_LIMIT, mediaTypesOf } from '../../../mixins/gateway/body/read-body.ts';
import { MCP_PROBLEM_STATUSES } from '../../../mixins/gateway/mcp.ts';
import { OAUTH_STATUSES } from '../../../mixins/gateway/oauth-response.ts';
import type { Route } from '../../../mixins/gateway/routing/router.ts';
import { fileAnswersOf, RANGE_PARAMETERS, uploadBodyOf } from './files.ts';
import { textContentOf, textFormParameters } from './text-form.ts';

const STATUS: Record<number, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; the answer is empty',
};

/** The operation object of a route, derived from its contract. */
export function operationOf({ action, contract, location }: Route, schemas: Schemas): JsonSchema {
  const notes = [contract.description, accessNote(contract)].filter(Boolean).join('\n\n');
  const parameters = parametersOf(contract, schemas);
  return {
    operationId: action,
    summary: contract.summary,
    ...(notes ? { description: notes } : {}),
    tags: [action.split('.')[0]],
    security: securityOf(contract),
    ...(parameters.length ? { parameters } : {}),
    ...(contract.body ? { requestBody: requestBodyOf(contract, schemas) } : {}),
    responses: { ...successesOf(contract, location, schemas), ...problemResponses(contract) },
  };
}

function accessNote({ access }: ActionContract): string {
  if (access.who === 'member') {
    const rules = access.rules?.length ? ` Rules: ${access.rules.join(', ')}.` : '';
    const key = access.keyScope
      ? ` An API key with the scope \`${access.keyScope}\` may call it too.`
      : '';
    return `For members of the workspace with the role ${access.roles.join(', ')}; to others it does not exist.${rules}${key}`;
  }
  if ('memberOf' in access && access.memberOf) {
    const persons = access.who === 'person' ? 'For persons. ' : '';
    return `${persons}With \`${access.memberOf}\` for members of that workspace; to others it does not exist.`;
  }
  if (access.who === 'authenticated' && access.keys) return 'Any API key may call it too.';
  if (access.who === 'invitee') return 'For the person whose verified address is invited.';
  if (access.who === 'key') return `For API keys with the scope \`${access.scope}\`.`;
  if (access.who === 'self-or-operator') return 'For the user and for operators.';
  return access.who === 'person' ? 'For persons.' : '';
}

function securityOf(contract: ActionContract): JsonSchema[] {
  const { access } = contract;
  const { who } = access;
  if (contract.protocol === 'oauth') return [{}, { 'client-basic': [] }];
  if (who === 'public') return access.optionalToken ? [{}, { 'bearer-key': [] }] : [];
  const keys = takesKey(contract) ? [{ 'api-key': [] }, { 'api-key-query': [] }] : [];
  return who === 'key' ? keys : [{ 'bearer-key': [] }, ...keys];
}

function parametersOf(contract: ActionContract, schemas: Schemas): JsonSchema[] {
  const own = (['path', 'query', 'header'] as const).flatMap((place) =>
    Object.entries(withoutCredentials(contract[place] ?? {})).map(([name, type]) => {
      const schema = schemas.of(type as z.ZodType, 'input');
      return {
        name,
        in: place,
        required: place === 'path' || isRequired(type),
        schema,
      };
    }),
  );
  return [...own, ...textFormParameters(contract, schemas), ...conditionsOf(contract)];
}

/** The header `Authorization` is no parameter in OpenAPI: `securityOf` names it. */
const withoutCredentials = ({ authorization: _, ...others }: Shape): Shape => others;

/** The parameters of the request headers that the gateway handles itself. */
function conditionsOf(contract: ActionContract): JsonSchema[] {
  const isRead = contract.route?.startsWith('GET ') ?? false;
  return [
    ...(isRead && hasEtag(contract)
      ? [headerOf('If-None-Match', 'ETags; 304 where one is that of the answer')]
      : []),
    ...(takesIfMatch(contract)
      ? [
          headerOf(
            'If-Match',
            'ETags; 412, and nothing changes, where none is that of the resource',
          ),
        ]
      : []),
    ...(contract.format === 'file' ? RANGE_PARAMETERS : []),
    ...(takesIdempotencyKey(contract) ? [IDEMPOTENCY_KEY] : []),
  ];
}

const headerOf = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

const IDEMPOTENCY_KEY: JsonSchema = {
  ...headerOf(
    'Idempotency-Key',
    'The same request with the same key gets the same answer for 24 h, and is carried out once',
  ),
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

function requestBodyOf(contract: ActionContract, schemas: Schemas): JsonSchema {
  if (contract.upload) return uploadBodyOf(contract.upload);
  const schema = bodySchemaOf(contract, schemas);
  return {
    description: `At most ${(contract.bodyLimit ?? BODY_LIMIT) / 1024} KiB`,
    required: !contract.bodyOptional,
    content: {
      ...Object.fromEntries(
        mediaTypesOf(contract).map((type) => [
          type,
          {
            schema,
            ...(contract.example?.body === undefined ? {} : { example: contract.example.body }),
          },
        ]),
      ),
      ...textContentOf(contract, schemas),
    },
  };
}

function bodySchemaOf(contract: ActionContract, schemas: Schemas): JsonSchema {
  const { body = {}, wholeBody, receivedRequest, readOnly = [] } = contract;
  if (receivedRequest) return {};
  if (wholeBody) return schemas.of(body[wholeBody] as z.ZodType, 'input');
  const schema = schemas.of(z.strictObject(body), 'input');
  const repeated = Object.fromEntries(readOnly.map((name) => [name, REPEATED]));
  schema.properties = { ...(schema.properties as JsonSchema), ...repeated };
  return schema;
}

/** The schema of a read-only field: a body may have the field, and it is not read. */
const REPEATED: JsonSchema = { description: 'Not read; what was answered may be sent back' };

const MEDIA: Readonly<Record<Exclude<ActionContract['format'], 'file' | undefined>, string>> = {
  json: 'application/json',
  page: 'application/json',
  yaml: 'application/yaml',
  text: 'text/plain',
  html: 'text/html',
  events: 'text/event-stream',
};

/** The type of a stream: the description of the operation names its events. */
const EVENT_STREAM: JsonSchema = { type: 'string', description: 'Server-sent events' };

function successesOf(
  contract: ActionContract,
  location: Route['location'],
  schemas: Schemas,
): JsonSchema {
  const { status = 200, otherStatus: other, example } = contract;
  if (contract.format === 'file') {
    return { ...fileAnswersOf({ ...commonHeaders(contract), ...ETAG }), ...notModified(contract) };
  }
  const result = firstResult(contract);
  const first = answerOf(
    contract,
    other?.result ? excludeOption(other.result, result) : result,
    schemas,
  );
  const success = { description: STATUS[status], ...withExample(first, example?.answer) };
  if (location) success.headers = { ...success.headers, ...LOCATION };
  const mayStream = contract.streamed !== undefined || contract.protocol === 'mcp';
  if (status === 200 && mayStream) success.content = { ...success.content, ...EVENTS };
  if (!other) return { ...streamOf(contract), [status]: success, ...notModified(contract) };
  const second =
    other.result || other.empty || other.status === 204
      ? answerOf(contract, other.result ?? null, schemas)
      : withExample(first, example?.answer);
  return { [status]: success, [other.status]: { ...second, description: other.description } };
}

/** The type of the body with the first status. */
function firstResult({ result, resultHeaders, otherStatus }: ActionContract): z.ZodType | null {
  if (otherStatus?.empty && result instanceof z.ZodNullable) return result.unwrap() as z.ZodType;
  return resultHeaders?.body ?? result;
}

const EVENTS: Record<string, JsonSchema> = { [MEDIA.events]: { schema: EVENT_STREAM } };

/** The answer as events, to clients that prefer them. */
const streamOf = (contract: ActionContract): JsonSchema =>
  contract.streamed
    ? {
        200: {
          description: 'The answer as it comes, for `Accept: text/event-stream`',
          headers: commonHeaders(contract),
          content: EVENTS,
        },
      }
    : {};

/** The 304 response of a GET with an ETag. */
function notModified(contract: ActionContract): JsonSchema {
  if (!hasEtag(contract) || !contract.route?.startsWith('GET ')) return {};
  const headers = { ...commonHeaders(contract), ...ETAG };
  return { 304: { description: 'The client has this answer already', headers } };
}

/** The type of the first success: the union without the type of the second success. */
function excludeOption(other: z.ZodType, result: z.ZodType | null): z.ZodType | null {
  const options = result instanceof z.ZodUnion ? (result.options as z.ZodType[]) : [];
  const left = options.filter((option) => option !== other);
  return left.length === 1 ? (left[0] ?? null) : result;
}

interface Answer extends JsonSchema {
  headers: JsonSchema;
  content?: Record<string, JsonSchema>;
}

function answerOf(contract: ActionContract, result: z.ZodType | null, schemas: Schemas): Answer {
  const common = { ...commonHeaders(contract), ...(takesIdempotencyKey(contract) ? REPLAYED : {}) };
  if (result === null) return { headers: common };
  const { format: answer = 'json' } = contract;
  if (answer === 'file') throw new TypeError('a file has answers of its own');
  const schema =
    answer === 'events'
      ? EVENT_STREAM
      : schemas.of(answer === 'page' ? itemsOf(result) : result, 'output');
  const headers = {
    ...common,
    ...(answer === 'page' ? NEXT_PAGE : {}),
    ...(hasEtag(contract) ? ETAG : {}),
    ...fieldHeaders(contract, schemas),
  };
  return { headers, content: { [MEDIA[answer]]: { schema } } };
}

/** The headers that carry fields of the result. */
const fieldHeaders = ({ resultHeaders }: ActionContract, schemas: Schemas): JsonSchema =>
  Object.fromEntries(
    Object.values(resultHeaders?.fields ?? {}).map(({ header, type, description }) => [
      header,
      { description, schema: schemas.of(type, 'output') },
    ]),
  );

function withExample(answer: Answer, example: unknown): Answer {
  if (example === undefined || !answer.content) return answer;
  const content = Object.entries(answer.content).map(([media, of]) => [media, { ...of, example }]);
  return { ...answer, content: Object.fromEntries(content) };
}

const itemsOf = (page: z.ZodType): z.ZodType =>
  (page as z.ZodObject<{ items: z.ZodArray }>).shape.items;

const commonHeaders = ({ unlimited }: ActionContract): JsonSchema =>
  unlimited ? REQUEST_ID : { ...REQUEST_ID, ...RATE_LIMIT };

const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
const RATE_LIMIT = {
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
};
const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
const LOCATION = { Location: { $ref: '#/components/headers/Location' } };
const ETAG = { ETag: { $ref: '#/components/headers/ETag' } };
const REPLAYED = {
  'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' },
};
const NEXT_PAGE = { Link: { $ref: '#/components/headers/NextPage' } };

/** Statuses whose responses have `Retry-After`. */
const TEMPORARY = new Set([429, 503]);

const retryAfterOf = (status: number, codes: ReadonlySet<string>): JsonSchema =>
  TEMPORARY.has(status) || codes.has(IdempotencyKeyInFlight.code) ? RETRY_AFTER : {};

function problemContentOf({ protocol }: ActionContract, status: number): JsonSchema {
  if (protocol === 'oauth' && OAUTH_STATUSES.has(status)) return jsonOf('OAuthError');
  if (protocol === 'mcp' && !MCP_PROBLEM_STATUSES.has(status)) return jsonOf('RpcResponse');
  return { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
}

const jsonOf = (component: string): JsonSchema => ({
  'application/json': { schema: { $ref: `#/components/schemas/${component}` } },
});

/** One response for each status of a problem. Its description lists the problem codes. */
function problemResponses(contract: ActionContract): JsonSchema {
  const byStatus = new Map<number, Set<string>>();
  for (const { status, code } of problemsOf(contract)) {
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: [...codes].map((code) => `\`${code}\``).join(', '),
        headers: { ...commonHeaders(contract), ...retryAfterOf(status, codes) },
        content: problemContentOf(contract, status),
      },
    ]),
  );
}
