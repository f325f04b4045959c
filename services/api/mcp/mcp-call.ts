import type { ServiceBroker } from 'moleculer';
import type { ToolRequest } from '../../tools/call-tool.ts';
import type { Ctx } from '../../contracts.ts';

/** The caller and the request of a message, and the broker by which its operations are called. */
export interface McpCall extends ToolRequest {
  broker: ServiceBroker;
}

export const mcpCallOf = ({ broker, meta, requestID }: Ctx): McpCall => ({
  broker,
  caller: meta.caller,
  client: meta.client,
  traceparent: meta.traceparent,
  requestId: requestID ?? undefined,
});
