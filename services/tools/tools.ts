import type { Caller } from '../../contract/caller.ts';
import { type ActionContract, takesKey } from '../../contract/contract.ts';
import { toolTermsOf } from '../../contract/tool-rule.ts';
import { type Tool, toolOf } from '../../contract/tools.ts';
import { contracts } from '../contracts.ts';

let tools: ReadonlyMap<string, Tool> | undefined;

/** Every tool by its name. The tools are made of the contracts once, at the first use. */
export function allTools(): ReadonlyMap<string, Tool> {
  tools ??= new Map(makeTools().map((tool) => [tool.name, tool]));
  return tools;
}

const makeTools = (): Tool[] =>
  contracts.flatMap(({ name, actions }) =>
    Object.entries(actions as Record<string, ActionContract>).flatMap(
      ([action, contract]) => toolOf(`${name}.${action}`, contract) ?? [],
    ),
  );

/**
 * Whether the caller is offered the tool: a key by its scopes, other callers all tools but those of keys. The access
 * check of the action decides each call, by role and workspace.
 */
export function isOfferedTo({ contract }: Pick<Tool, 'contract'>, caller: Caller): boolean {
  const { access } = contract;
  if (caller.kind !== 'api-key') return access.who !== 'key' && !toolTermsOf(contract)?.keysOnly;
  return takesKey(contract) && caller.scopes.some((scope) => scope === scopeOf(contract));
}

const scopeOf = ({ access }: ActionContract): string | undefined => {
  if (access.who === 'key') return access.scope;
  return access.who === 'member' ? access.keyScope : undefined;
};
