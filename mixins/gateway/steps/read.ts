import type { IncomingHttpHeaders } from 'node:http';
import { type ActionContract, isRequired, takesKey } from '../../../contract/contract.ts';
import { parseEntityTags } from '../../../contract/etag.ts';
import { IdText } from '../../../contract/fields.ts';
import { type FieldFault, MOST_FAULTS } from '../../../contract/problem.ts';
import { bodyFault } from '../body/body-fault.ts';
import { readBody, textBodyOf } from '../body/read-body.ts';
import { truncateText } from '../body/truncate-text.ts';
import type { IdentifiedRequest, ReadRequest } from '../gateway-request.ts';
import {
  idempotencyKeyOf,
  isIdempotencyKey,
  MALFORMED_IDEMPOTENCY_KEY,
} from '../headers/idempotency-key.ts';
import { ifMatchOf } from '../headers/if-match.ts';
import { decode } from '../routing/query.ts';
import { parametersOf, type Route } from '../routing/router.ts';
import { misplacedField, missingParameter } from './misplaced.ts';
import { takeQueryFields } from './query-fields.ts';
import { readReceived } from './read-received.ts';

interface Parameters {
  params: Record<string, unknown>;
  faults: FieldFault[];
}

/**
 * Reads each parameter from its own place: path, query, header or body. A value that the contract does not know
 * there is a fault. Throws 400, 413 or 415 for a body that cannot be read.
 */
export async function readRequest(request: IdentifiedRequest): Promise<ReadRequest> {
  const { http, response, route, segments, query } = request;
  const { contract } = route;
  if (contract.receivedRequest) return readForeign(request, contract.receivedRequest);
  const readsBody = contract.body && !contract.upload;
  const body = readsBody ? await readBody(http, response, contract) : undefined;
  const into: Parameters = { params: {}, faults: [...query.faults] };
  takePath(contract, parametersOf(route, segments), into);
  const isTextForm = textBodyOf(http, contract) !== undefined;
  takeQuery(route, isTextForm ? takeQueryFields(request, into) : query.values, into);
  takeHeaders(contract, http.headers, into);
  if (!isWellFormed(ifMatchOf({ route, http }))) into.faults.push(MALFORMED_IF_MATCH);
  const key = idempotencyKeyOf({ route, http });
  if (key !== undefined && !isIdempotencyKey(key)) into.faults.push(MALFORMED_IDEMPOTENCY_KEY);
  if (body) {
    into.faults.push(...body.faults);
    takeBody(route, body.values, into);
  }
  return Object.assign(request, into, { body: body?.bytes ?? null });
}

/** Reads a request in the form of another system: its path, and all of it as one parameter. */
async function readForeign(request: IdentifiedRequest, name: string): Promise<ReadRequest> {
  const { route, segments, query } = request;
  const { received, body } = await readReceived(request);
  const params = { ...parametersOf(route, segments), [name]: received };
  return Object.assign(request, { params, faults: query.faults, body });
}

/** Reads the path's parameters. An id is not decoded: `%37` is no decimal digit. */
function takePath(contract: ActionContract, path: Record<string, string>, into: Parameters): void {
  for (const [name, raw] of Object.entries(path)) {
    const value = contract.path?.[name] === IdText ? raw : decode(raw.replaceAll('+', '%2B'));
    if (value === null || value.includes('\0')) {
      const message = 'is not valid percent-encoded UTF-8';
      into.faults.push({ in: 'path', path: name, code: 'malformed', message });
    } else into.params[name] = value;
  }
}

function takeQuery(route: Route, query: Record<string, string>, into: Parameters): void {
  const { contract } = route;
  for (const name of Object.keys(query)) {
    if (Object.hasOwn(contract.query ?? {}, name)) into.params[name] = query[name];
    else if (name !== 'api_key' || !takesKey(contract)) {
      into.faults.push(misplacedField(route, 'query', name));
    }
  }
  for (const [name, type] of Object.entries(contract.query ?? {})) {
    if (!Object.hasOwn(query, name) && isRequired(type)) {
      into.faults.push(missingParameter(route, name));
    }
  }
}

function takeHeaders(
  contract: ActionContract,
  headers: IncomingHttpHeaders,
  into: Parameters,
): void {
  for (const name of Object.keys(contract.header ?? {})) {
    const value = headers[name];
    if (value !== undefined) into.params[name] = value;
  }
}

const isWellFormed = (ifMatch: string | undefined): boolean =>
  ifMatch === undefined || parseEntityTags(ifMatch) !== null;

const MALFORMED_IF_MATCH: FieldFault = {
  in: 'header',
  path: 'If-Match',
  code: 'invalid_format',
  message: 'must be *, or entity tags in double quotes with commas between them',
};

/** Reads the fields of the body. An id of the path may stand in the body as well, with the same value. */
function takeBody(route: Route, body: Record<string, unknown>, into: Parameters): void {
  const { contract } = route;
  for (const name of Object.keys(body)) {
    if (contract.protocol === 'oauth' && body[name] === '') continue;
    if (Object.hasOwn(contract.body ?? {}, name)) {
      into.params[name] = truncateText(body[name], contract.truncateAt?.[name]);
    } else if (contract.protocol === 'oauth') continue;
    else if (into.faults.length >= MOST_FAULTS || contract.readOnly?.includes(name)) continue;
    else if (contract.path?.[name] !== IdText) {
      into.faults.push(misplacedField(route, 'body', name));
    } else if (!isId(body[name], into.params[name])) {
      into.faults.push(bodyFault(name, 'contradiction', 'is not what the path says'));
    }
  }
}

/** Whether the value of a body is the id of the path; an id in a body is a number. */
const isId = (value: unknown, inPath: unknown): boolean =>
  typeof value === 'number' && String(value) === inPath;
