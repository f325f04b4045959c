export { AllowList } from './allow-list.ts';
export { createOutboundClient, type OutboundClient, type OutboundOptions } from './client.ts';
export { OutboundError, type OutboundErrorKind } from './errors.ts';
export type { Resolve } from './lookup.ts';
export type { OutboundRequest, OutboundResponse, RefuseRedirect } from './request.ts';
export { assertLiteral, parseTarget } from './target.ts';
export { UrlTemplateError, type UrlTemplateErrorCode } from './url-template/error.ts';
export {
  addQuery,
  fillUrlTemplate,
  type QueryParameters,
  type UrlValues,
} from './url-template/fill.ts';
export { parseUrlTemplate, type UrlTemplate } from './url-template/parse.ts';
