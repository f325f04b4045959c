import type { IncomingMessage, ServerResponse } from 'node:http';
import bodyParser from 'body-parser';
import { z } from 'zod';
import type { ActionContract } from '../../../contract/contract.ts';
import {
  BodyTooLarge,
  type FieldFault,
  InvalidRequest,
  MalformedBody,
  Problem,
  UnsupportedMediaType,
} from '../../../contract/problem.ts';
import { isReceivedType, RECEIVED_TYPES } from '../../../contract/received-request.ts';
import type { TextBodyRule } from '../../../contract/text-body.ts';
import { parseQuery } from '../routing/query.ts';
import { bodyFault } from './body-fault.ts';
import { textFault } from './json-faults.ts';
import { type DataMembers, parseJson, textOf } from './parse-json.ts';

/** Bytes of a body, where the contract says nothing else. */
export const BODY_LIMIT = 256 * 1024;

export interface Body {
  /** The bytes of the body, decompressed; null for a request without a body. */
  bytes: Buffer | null;
  values: Record<string, unknown>;
  faults: FieldFault[];
}

/** Reads a body of JSON, or of a form or a text where the contract says so; throws 400, 413 or 415. */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  contract: ActionContract,
): Promise<Body> {
  const bytes = await readBytesOf(req, res, contract);
  const textBody = textBodyOf(req, contract);
  if (bytes === null) {
    if (contract.bodyOptional) return { bytes, values: {}, faults: [] };
    throw missingBody(contract);
  }
  if (textBody) return { bytes, ...readText(bytes, textBody) };
  if (isForm(req)) return { bytes, ...parseQuery(textOf(bytes, FORM_TYPE), bodyFault) };
  const { value, faults } = parseJson(bytes, contract, () => dataMembersOf(contract));
  if (contract.wholeBody) return { bytes, values: { [contract.wholeBody]: value }, faults };
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { bytes, values: value as Record<string, unknown>, faults };
  }
  return {
    bytes,
    values: {},
    faults: [bodyFault('', 'invalid_type', 'must be a JSON object'), ...faults],
  };
}

/** The members of a body that may be any JSON. Of a message of MCP these are its parameters. */
function dataMembersOf({ body = {}, wholeBody, protocol }: ActionContract): DataMembers {
  if (protocol === 'mcp') return ['params'];
  if (wholeBody) return 'all';
  return Object.keys(body).filter((name) => {
    const type = body[name];
    return (type instanceof z.ZodOptional ? type.unwrap() : type) instanceof z.ZodUnknown;
  });
}

const missingBody = (contract: ActionContract): Problem =>
  new Problem(InvalidRequest, `A body is needed: ${mediaTypesOf(contract).join(' or ')}.`, {
    errors: [{ in: 'body', path: '', code: 'required', message: 'is required' }],
  });

/** The rule of a request whose body is the text of one field; undefined for another form. */
export const textBodyOf = (
  req: IncomingMessage,
  { textBody }: Pick<ActionContract, 'textBody'>,
): TextBodyRule | undefined =>
  textBody && mediaTypeOf(req).type === textBody.mediaType ? textBody : undefined;

function readText(bytes: Buffer, { field, mediaType }: TextBodyRule): Omit<Body, 'bytes'> {
  const text = textOf(bytes, mediaType);
  const wrong = textFault(text);
  return {
    values: { [field]: text },
    faults: wrong ? [bodyFault(field, 'forbidden_character', wrong)] : [],
  };
}

/** Reads the bytes of the body; null for none. Throws 413 or 415. `Transfer-Encoding` announces a body that may turn out to be empty. */
export async function readBytesOf(
  req: IncomingMessage,
  res: ServerResponse,
  contract: ActionContract,
): Promise<Buffer | null> {
  const streams = req.headers['transfer-encoding'] !== undefined;
  if (!streams && !(Number(req.headers['content-length'] ?? 0) > 0)) return null;
  const wrongType = mediaTypeFault(req, contract);
  if (wrongType && !(streams && (await isEmpty(req, res)))) throw wrongType;
  if (wrongType) return null;
  const bytes = await readBytes(req, res, contract.bodyLimit ?? BODY_LIMIT);
  return streams && bytes.length === 0 ? null : bytes;
}

/** Whether the body is empty. At most its first byte is read. */
const isEmpty = (req: IncomingMessage, res: ServerResponse): Promise<boolean> =>
  readBytes(req, res, 0).then(
    () => true,
    () => false,
  );

/** Characters of a `Content-Type`. A longer header is refused with 415 and not parsed. */
const MAX_MEDIA_TYPE_LENGTH = 200;
const CHARSET = /^charset="?utf-8"?$/;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The media types that a body of the action may have. */
export function mediaTypesOf({
  protocol,
  receivedRequest,
  textBody,
}: Pick<ActionContract, 'protocol' | 'receivedRequest' | 'textBody'>): readonly string[] {
  if (receivedRequest) return RECEIVED_TYPES;
  if (textBody) return [JSON_TYPE, textBody.mediaType];
  return protocol === 'oauth' ? [FORM_TYPE, JSON_TYPE] : [JSON_TYPE];
}

function mediaTypeFault(req: IncomingMessage, contract: ActionContract): Problem | null {
  const { type, parameters } = mediaTypeOf(req);
  const types = mediaTypesOf(contract);
  const isPossible = contract.receivedRequest ? isReceivedType(type) : types.includes(type);
  if (isPossible && parameters.every((part) => part === '' || CHARSET.test(part))) {
    return null;
  }
  return new Problem(UnsupportedMediaType, `The body must be ${types.join(' or ')} in UTF-8.`);
}

const isForm = (req: IncomingMessage): boolean => mediaTypeOf(req).type === FORM_TYPE;

export function mediaTypeOf({ headers }: IncomingMessage): { type: string; parameters: string[] } {
  const header = headers['content-type'] ?? '';
  if (header.length > MAX_MEDIA_TYPE_LENGTH) return { type: '', parameters: [] };
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  return { type, parameters };
}

const readers = new Map<number, ReturnType<typeof bodyParser.raw>>();
function readerFor(limit: number): ReturnType<typeof bodyParser.raw> {
  const reader = readers.get(limit) ?? bodyParser.raw({ type: () => true, limit });
  readers.set(limit, reader);
  return reader;
}

function readBytes(req: IncomingMessage, res: ServerResponse, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    readerFor(limit)(req, res, (error?: unknown) => {
      if (error) reject(problemOf(error as { status?: number }, limit));
      else resolve((req as IncomingMessage & { body?: Buffer }).body ?? Buffer.alloc(0));
    });
  });
}

function problemOf({ status }: { status?: number }, limit: number): Problem {
  if (status === 413) {
    return new Problem(BodyTooLarge, `The body may have at most ${limit} bytes.`);
  }
  if (status === 415) {
    return new Problem(UnsupportedMediaType, 'The content encoding is not supported.');
  }
  return new Problem(MalformedBody, 'The body could not be read to its end.');
}
