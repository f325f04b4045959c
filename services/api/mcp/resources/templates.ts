import type { ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';
import type { Actions } from '../../../contracts.ts';
import { callOperation } from '../call-operation.ts';
import { RESOURCE_NOT_FOUND, RpcError } from '../json-rpc.ts';
import type { McpCall } from '../mcp-call.ts';

/** The resources of one template, by the values in their URIs. */
export interface ResourceKind {
  template: ResourceTemplate;
  /** The form of a URI, with a group for each value. */
  pattern: RegExp;
  /** The operation whose tool a caller must be offered to read such a resource. */
  operation: keyof Actions;
  read: (call: McpCall, ...values: string[]) => Promise<string>;
}

/** The types of the texts of resources. */
const YAML = 'application/yaml';
const JSON_TYPE = 'application/json';

const ask = <N extends keyof Actions & string>(
  call: McpCall,
  operation: N,
  params: Actions[N]['params'],
) => callOperation(call, operation, params, RESOURCE_NOT_FOUND);

/** The URI of the newest file of a flow. */
export const flowUri = (flowId: number): string => `flow://${flowId}`;
export const versionUri = (flowId: number, versionId: number): string =>
  `${flowUri(flowId)}/versions/${versionId}`;
export const runUri = (runId: number): string => `run://${runId}`;
export const stepsUri = (runId: number): string => `${runUri(runId)}/steps`;

/** The resources that callers read by an id. The ids come from the tools. */
export const RESOURCE_KINDS: readonly ResourceKind[] = [
  {
    template: {
      uriTemplate: 'flow://{flowId}',
      name: 'flow',
      title: 'The newest file of a flow',
      mimeType: YAML,
    },
    pattern: /^flow:\/\/(\d+)$/,
    operation: 'flows.getVersion',
    read: readNewest,
  },
  {
    template: {
      uriTemplate: 'flow://{flowId}/versions/{versionId}',
      name: 'flow-version',
      title: 'The file of one version of a flow',
      mimeType: YAML,
    },
    pattern: /^flow:\/\/(\d+)\/versions\/(\d+)$/,
    operation: 'flows.getVersion',
    read: (call, flowId = '', versionId = '') =>
      ask(call, 'flows.getVersion', { flowId, versionId }),
  },
  {
    template: {
      uriTemplate: 'run://{runId}',
      name: 'run',
      title: 'A run: its state, input, output and error',
      mimeType: JSON_TYPE,
    },
    pattern: /^run:\/\/(\d+)$/,
    operation: 'runs.get',
    read: async (call, runId = '') => JSON.stringify(await ask(call, 'runs.get', { runId })),
  },
  {
    template: {
      uriTemplate: 'run://{runId}/steps{?after}',
      name: 'run-steps',
      title: 'The steps of a run, a page at a time',
      description:
        '`items` and `after`: the URI of the next page has that `after`, until it is null',
      mimeType: JSON_TYPE,
    },
    pattern: /^run:\/\/(\d+)\/steps(?:\?after=([\w-]+))?$/,
    operation: 'runs.listSteps',
    read: async (call, runId = '', after) =>
      JSON.stringify(await ask(call, 'runs.listSteps', { runId, ...(after ? { after } : {}) })),
  },
  {
    template: {
      uriTemplate: 'run://{runId}/steps/{stepId}',
      name: 'run-step',
      title: 'A step of a run, with its whole output',
      mimeType: JSON_TYPE,
    },
    pattern: /^run:\/\/(\d+)\/steps\/(\d+)$/,
    operation: 'runs.getStep',
    read: async (call, runId = '', stepId = '') =>
      JSON.stringify(await ask(call, 'runs.getStep', { runId, stepId })),
  },
];

async function readNewest(call: McpCall, flowId = ''): Promise<string> {
  const { id, versionId } = await ask(call, 'flows.get', { flowId });
  if (versionId === null) throw new RpcError(RESOURCE_NOT_FOUND, `The flow ${id} has no file yet.`);
  return ask(call, 'flows.getVersion', { flowId: id, versionId });
}
