import { z } from 'zod';
import { type ActionContract, takesKey } from '../../../contract/contract.ts';
import { hasEtag } from '../../../contract/etag-rule.ts';
import { takesIdempotencyKey } from '../../../contract/idempotency-rule.ts';
import type { JsonSchema, Schemas } from '../../../contract/json-schemas.ts';
import { BODY_LIMIT, mediaTypesOf } from '../../../mixins/gateway/body/read-body.ts';
import type { Route } from '../../../mixins/gateway/routing/router.ts';
import { fileAnswersOf, uploadBodyOf } from './files.ts';
import { commonHeaders, ETAG, LOCATION, NEXT_PAGE, REPLAYED } from './headers.ts';
import { parametersOf } from './parameters.ts';
import { problemResponses } from './problem-responses.ts';
import { textContentOf } from './text-form.ts';

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

function requestBodyOf(contract: ActionContract, schemas: Schemas): JsonSchema {
  if (contract.upload) return uploadBodyOf(contract.upload);
  const schema = bodySchemaOf(contract, schemas);
  return {
    description: `At most ${(contract.bodyLimit ?? BODY_LIMIT) / 1024} KiB`,
    required: !contract.bodyOptional,
    content: {
      ...Object.fromEntries(
        mediaTypesOf(contract).map((type) => [type, { schema, ...exampleOf(contract, type) }]),
      ),
      ...textContentOf(contract, schemas),
    },
  };
}

/** The example of a body. Of the types that a webhook takes only JSON has one. */
function exampleOf({ example, receivedRequest }: ActionContract, type: string): JsonSchema {
  const isShown = receivedRequest === undefined || type === 'application/json';
  return isShown && example?.body !== undefined ? { example: example.body } : {};
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
      ? withExample(answerOf(contract, other.result ?? null, schemas), other.example)
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
