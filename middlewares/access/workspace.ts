import type { Access, WorkspaceSource } from '../../contract/access-rule.ts';
import type { ActionContract } from '../../contract/contract.ts';
import type { Loader, LoadRequest } from '../../contract/contract-types.ts';
import { NotFound, noWorkspace, Problem } from '../../contract/problem.ts';
import type { AccessContext } from './access-context.ts';
import { idIn } from './id-parameters.ts';

type Loaders = Readonly<Record<string, Loader>>;

/** The workspace in which an action is called. */
export interface FoundWorkspace {
  workspaceId: number;
  /** Makes the 404 for callers who may not know that the resource exists; only a refusal pays for its stack. */
  refusal: () => Problem;
}

/** Refuses a service whose contract names a resource that it has no loader for. */
export function assertLoaders(name: string, access: Access, loaders: Loaders): void {
  const source = 'in' in access && 'resource' in access.in ? [access.in.resource] : [];
  const within = access.who === 'member' && access.within ? [access.within.resource] : [];
  for (const resource of [...source, ...within]) {
    if (!Object.hasOwn(loaders, resource)) {
      throw new Error(`${name} has no loader for the resource "${resource}"`);
    }
  }
}

/** The workspace that a call is about; undefined when the parameter is not valid, which validation reports. */
export async function findWorkspace(
  contract: ActionContract,
  source: WorkspaceSource,
  loaders: Loaders,
  ctx: AccessContext,
): Promise<FoundWorkspace | undefined> {
  const id = idIn(source.parameter, contract, ctx);
  if (id === undefined) return undefined;
  if (!('resource' in source)) return { workspaceId: id, refusal: () => noWorkspace(id) };
  const refusal = () => noResource(source.resource, id);
  const resource = await loaderOf(loaders, source.resource)(id, requestOf(ctx));
  if (!resource) throw refusal();
  ctx.locals.resource = resource;
  return { workspaceId: resource.workspaceId, refusal };
}

/** Refuses a resource that is not in the workspace. `assertIds` has checked its parameter. */
export async function assertWithin(
  { resource, parameter }: { resource: string; parameter: string },
  workspaceId: number,
  loaders: Loaders,
  ctx: AccessContext,
): Promise<void> {
  const id = Number(ctx.params[parameter]);
  const found = await loaderOf(loaders, resource)(id, requestOf(ctx));
  if (found?.workspaceId !== workspaceId) throw noResource(resource, id);
  ctx.locals.resource = found;
}

const requestOf = ({ action, params }: AccessContext): LoadRequest => ({
  action: action?.name ?? '',
  params,
});

function loaderOf(loaders: Loaders, resource: string): Loader {
  const load = loaders[resource];
  if (!load) throw new TypeError(`no loader for ${resource}`); // `assertLoaders` has refused it
  return load;
}

const noResource = (resource: string, id: number): Problem =>
  new Problem(NotFound, `There is no ${resource} ${id}.`);
