import { type DocumentOf, field } from './define-model.ts';

/** The request of a call, without values of headers and of the query, and without the body. */
const requestFields = {
  method: field.string,
  url: field.string,
  headerNames: field.list(field.string),
  /** Bytes of the body. */
  bytes: field.number,
};
export type RequestSummary = DocumentOf<typeof requestFields>;

/** The response to a call, without values of headers and without the body. */
const responseFields = {
  status: field.number,
  headerNames: field.list(field.string),
  /** Bytes of the decoded body. */
  bytes: field.number,
};
export type ResponseSummary = DocumentOf<typeof responseFields>;

/**
 * The fields of the record of a call. A record without an answer lacks `response`; a record without a request lacks
 * both. The record of a call of an agent has neither.
 */
export const exchangeFields = {
  request: field.optional(field.object(requestFields)),
  response: field.optional(field.object(responseFields)),
  /** The tool calls of an agent as JSON text. */
  transcript: field.optional(field.string),
};

/** What a call has sent and received, as far as it is known. */
export interface ExchangeRecord {
  request?: RequestSummary;
  response?: ResponseSummary;
  transcript?: string;
}

/** The approximate bytes of an exchange in the database. */
export const exchangeBytes = ({ request, response, transcript }: ExchangeRecord): number =>
  (request ? 100 + request.url.length + namesBytes(request.headerNames) : 0) +
  (response ? 60 + namesBytes(response.headerNames) : 0) +
  (transcript?.length ?? 0);

const namesBytes = (names: readonly string[]): number =>
  names.reduce((bytes, { length }) => bytes + length + 8, 0);
