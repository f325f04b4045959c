import type { Middleware, ServiceBroker } from 'moleculer';
import { authenticationNeeded } from '../../contract/authentication-needed.ts';
import type { ActionContract } from '../../contract/contract.ts';
import type { ContractedAction } from '../../contract/contract-types.ts';
import { isRunTool } from '../../contract/run-tool.ts';
import { type ActionContext, defineMiddleware, type Next } from '../middleware.ts';
import type { AccessSources } from './access-sources.ts';
import {
  assertInWorkspace,
  assertCredentialKind,
  assertKind,
  assertMember,
  assertOperator,
  assertOwnRule,
  assertSelfOrOperator,
} from './caller-checks.ts';
import { assertIds, idIn, idParametersOf } from './id-parameters.ts';
import {
  assertLoaders,
  assertWithin,
  findWorkspace,
  type Loaders,
  loadResource,
} from './workspace.ts';
import { assertBound, assertBoundWithoutResource } from './workspace-bound.ts';

/**
 * Refuses calls by the access rule of their contract, before the rest of the request is validated. The
 * order is that of the interface: token, ids, workspace, role. `sourcesOf` makes the sources of the broker
 * that the middleware is created with.
 */
export function Access(sourcesOf: (broker: ServiceBroker) => AccessSources): Middleware {
  let sources: AccessSources;
  return defineMiddleware({
    name: 'Access',
    created(broker: ServiceBroker) {
      sources = sourcesOf(broker);
    },
    localAction(next: Next, action: ContractedAction) {
      if (!action.contract) return refuseUnlessInternal(next, action.name);
      const contract = action.contract();
      const loaders = action.loaders?.() ?? {};
      if (!contract.access) throw new Error(`${action.name} does not say who may call it`);
      assertLoaders(action.name, contract.access, loaders);
      assertOwnRule(action.name, contract.access);
      const check = checkOf(contract, loaders, () => sources);
      return async (ctx: ActionContext) => {
        const { accessOnly } = ctx.meta;
        await check(ctx);
        delete ctx.meta.onlyWorkspaceId; // nested calls are the action's own
        return accessOnly ? null : next(ctx);
      };
    },
  });
}

/** Throws for an action without a contract, unless the action is Moleculer's own or the entry of the gateway. */
function refuseUnlessInternal(next: Next, name: string): Next {
  if (!name.startsWith('$') && name !== 'api.rest') throw new Error(`${name} has no contract`);
  return next;
}

function checkOf(contract: ActionContract, loaders: Loaders, sources: () => AccessSources) {
  const { access } = contract;
  const ids = idParametersOf(contract);
  const runMayRead = isRunTool(contract);
  return async (ctx: ActionContext): Promise<void> => {
    const { caller } = ctx.meta;
    if (access.who === 'public') return;
    if (!caller || caller.kind === 'anonymous') throw authenticationNeeded(access);
    assertIds(ids, ctx);
    if (!('in' in access)) {
      assertBoundWithoutResource(contract, ctx);
      assertKind(access, caller);
      if (access.who === 'self-or-operator') {
        const subjectId = idIn(access.parameter, contract, ctx);
        if (subjectId !== undefined) await assertSelfOrOperator(caller, subjectId, sources());
        return;
      }
      if (access.who === 'operator') {
        await assertOperator(caller, sources());
        if (access.of) await loadResource(access.of, loaders, ctx);
        return;
      }
      if (!('memberOf' in access) || !access.memberOf) return;
      const workspaceId = idIn(access.memberOf, contract, ctx);
      if (workspaceId !== undefined) await assertMember(caller, workspaceId, sources());
      return;
    }
    assertCredentialKind(access, caller);
    const found = await findWorkspace(contract, access.in, loaders, ctx);
    if (!found) return;
    assertBound(ctx, found);
    await assertInWorkspace({ access, runMayRead }, caller, found, ctx, sources());
    if (access.within) await assertWithin(contract, access.within, found.workspaceId, loaders, ctx);
  };
}
