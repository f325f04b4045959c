import { callOptions } from '../../../services/tools/call-options.ts';
import type { ToolRequest } from '../../../services/tools/call-tool.ts';

it('carries all of a request, the workspace that bounds it among that', () => {
  const request: Required<ToolRequest> = {
    caller: { kind: 'run', runId: 5, workspaceId: 7 },
    client: { address: '127.0.0.1', userAgent: 'x' } as never,
    requestId: 'request',
    traceparent: 'trace',
    onlyWorkspaceId: 7,
    reservedId: 9,
  };
  const { requestId: requestID, ...carried } = request;
  expect(callOptions(request)).toEqual({ requestID, meta: { ...carried, via: 'assistant' } });
});
