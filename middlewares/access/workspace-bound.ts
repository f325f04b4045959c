import type { ActionContract } from '../../contract/contract.ts';
import { invalidRequest, noWorkspace } from '../../contract/problem.ts';
import { toolTermsOf } from '../../contract/tool-rule.ts';
import type { ActionContext } from '../middleware.ts';
import { idIn } from './id-parameters.ts';
import type { FoundWorkspace } from './workspace.ts';

/*
 * The workspace of a call, where a conversation binds the call to one (`onlyWorkspaceId`). What a model reads in a
 * workspace may be written by anybody there: without the bound, such a text could make the model read another
 * workspace of the same person.
 */

/** Refuses a call in another workspace than that of the bound, as if it did not exist. */
export function assertBound({ meta }: ActionContext, found: FoundWorkspace): void {
  const { onlyWorkspaceId } = meta;
  if (onlyWorkspaceId !== undefined && found.workspaceId !== onlyWorkspaceId) throw found.refusal();
}

/** Refuses a call that names no workspace, unless its answer follows from its arguments alone. */
export function assertBoundWithoutResource(contract: ActionContract, ctx: ActionContext): void {
  const { onlyWorkspaceId } = ctx.meta;
  if (onlyWorkspaceId === undefined || toolTermsOf(contract)?.pure) return;
  const { access } = contract;
  const parameter = 'memberOf' in access ? access.memberOf : undefined;
  const named = parameter === undefined ? undefined : idIn(parameter, contract, ctx);
  if (named === onlyWorkspaceId) return;
  if (named !== undefined) throw noWorkspace(named);
  throw invalidRequest([
    {
      in: 'query',
      path: parameter ?? '',
      code: 'required',
      message: `must name the workspace ${onlyWorkspaceId}, to which this call is bound`,
    },
  ]);
}
