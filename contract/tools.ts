import type { ActionContract } from './contract.ts';
import type { JsonSchema } from './json-schemas.ts';
import { isReadingTool, toolTermsOf } from './tool-rule.ts';
import { inputSchemaOf, outputSchemaOf } from './tool-schemas.ts';

/** An operation as models see it, in the terms of the Model Context Protocol. */
export interface Tool {
  name: string;
  /** The name of the action, such as `issues.create`. */
  operation: string;
  contract: ActionContract;
  title: string;
  description: string;
  /** The schema of the one flat object of parameters. */
  inputSchema: JsonSchema;
  /** The schema of the object that a call answers; null for an operation with an empty answer. */
  outputSchema: JsonSchema | null;
  annotations: ToolAnnotations;
}

/** The effects of a call, for clients that ask their user before it. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The name of the tool of an action: clients allow no dot in the name of a tool. */
export const toolNameOf = (operation: string): string => operation.replace('.', '_');

/** The action of a tool. The name of a service has no underscore. */
export const operationOf = (toolName: string): string => toolName.replace('_', '.');

/** Makes the tool of an action; null for an action that models may not call. */
export function toolOf(operation: string, contract: ActionContract): Tool | null {
  const terms = toolTermsOf(contract);
  if (!terms) return null;
  const { summary, description } = contract;
  return {
    name: toolNameOf(operation),
    operation,
    contract,
    title: terms.title ?? summary,
    description: description ? `${summary}. ${description}` : `${summary}.`,
    inputSchema: inputSchemaOf(contract),
    outputSchema: outputSchemaOf(contract),
    annotations: annotationsOf(contract),
  };
}

function annotationsOf(contract: ActionContract): ToolAnnotations {
  const { route = '', idempotent } = contract;
  const isPutOrDelete = /^(?:PUT|DELETE) /.test(route);
  const { destructive = isPutOrDelete, openWorld = false } = toolTermsOf(contract) ?? {};
  const readOnlyHint = isReadingTool(contract);
  return {
    readOnlyHint,
    destructiveHint: destructive,
    idempotentHint: readOnlyHint || idempotent === true || isPutOrDelete,
    openWorldHint: openWorld,
  };
}
