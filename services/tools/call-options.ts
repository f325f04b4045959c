import type { CallingOptions } from 'moleculer';
import type { Meta } from '../../contract/contract-types.ts';
import type { FieldFault } from '../../contract/problem.ts';
import type { ToolRequest } from './call-tool.ts';

/** The options of a call that a model makes. The service's own code makes all of the meta: a request has no say in it. */
export function callOptions(
  { caller, client, requestId, traceparent, onlyWorkspaceId, reservedId }: ToolRequest,
  faults: readonly FieldFault[] = [],
): CallingOptions {
  const meta: Meta = {
    caller,
    via: 'assistant',
    ...(client ? { client } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(faults.length ? { faults } : {}),
    ...(onlyWorkspaceId === undefined ? {} : { onlyWorkspaceId }),
    ...(reservedId === undefined ? {} : { reservedId }),
  };
  return { ...(requestId === undefined ? {} : { requestID: requestId }), meta };
}
