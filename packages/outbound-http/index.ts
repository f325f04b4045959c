export { AllowList } from './allow-list.ts';
export {
  createOutboundClient,
  type OutboundClient,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResponse,
} from './client.ts';
export { OutboundError, type OutboundErrorKind } from './errors.ts';
export type { Resolve } from './lookup.ts';
