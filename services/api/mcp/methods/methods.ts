import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { RpcResult } from '../json-rpc.ts';
import type { McpCall } from '../mcp-call.ts';
import { getPrompt, listPrompts } from '../prompts/prompts.ts';
import { listResources } from '../resources/list-resources.ts';
import { listResourceTemplates, readResource } from '../resources/read-resource.ts';
import { callNamedTool } from './call-named-tool.ts';
import { initialize } from './initialize.ts';
import { listTools } from './list-tools.ts';

/** A method of the protocol: the schema of its request, and the function that makes its result. */
export interface Method {
  schema: z.ZodType;
  answer: (params: never, call: McpCall) => RpcResult | Promise<RpcResult>;
}

/** Makes a method whose function takes the parameters of the schema. */
const method = <S extends z.ZodType>(
  schema: S,
  answer: (params: ParamsIn<z.output<S>>, call: McpCall) => RpcResult | Promise<RpcResult>,
): Method => ({ schema, answer });
type ParamsIn<R> = R extends { params?: infer P } ? P : never;

/** The methods that the server offers. */
export const METHODS: Readonly<Record<string, Method>> = {
  initialize: method(InitializeRequestSchema, initialize),
  ping: method(PingRequestSchema, () => ({})),
  'tools/list': method(ListToolsRequestSchema, listTools),
  'tools/call': method(CallToolRequestSchema, callNamedTool),
  'resources/list': method(ListResourcesRequestSchema, listResources),
  'resources/templates/list': method(ListResourceTemplatesRequestSchema, listResourceTemplates),
  'resources/read': method(ReadResourceRequestSchema, readResource),
  'prompts/list': method(ListPromptsRequestSchema, listPrompts),
  'prompts/get': method(GetPromptRequestSchema, getPrompt),
};
