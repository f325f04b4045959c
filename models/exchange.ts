import { type DocumentOf, field } from './define-model.ts';

/** A request of a call, without what may be secret: the values of headers and query, and the body. */
const requestFields = {
  method: field.string,
  url: field.string,
  headerNames: field.list(field.string),
  /** Bytes of the body. */
  bytes: field.number,
};
export type RequestSummary = DocumentOf<typeof requestFields>;

/** The response to a request, in the same way. */
const responseFields = {
  status: field.number,
  headerNames: field.list(field.string),
  bytes: field.number,
};
export type ResponseSummary = DocumentOf<typeof responseFields>;

/** The fields of records of calls. A record lacks `response` where none came, and both where nothing was sent. */
export const exchangeFields = {
  request: field.optional(field.object(requestFields)),
  response: field.optional(field.object(responseFields)),
};

/** The approximate bytes of an exchange in the database. */
export const exchangeBytes = ({
  request,
  response,
}: {
  request?: RequestSummary;
  response?: ResponseSummary;
}): number =>
  (request ? 100 + request.url.length + namesBytes(request.headerNames) : 0) +
  (response ? 60 + namesBytes(response.headerNames) : 0);

const namesBytes = (names: readonly string[]): number =>
  names.reduce((bytes, { length }) => bytes + length + 8, 0);
