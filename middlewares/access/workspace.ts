import type { Access, ResourceSource, WorkspaceSource } from '../../contract/access-rule.ts';
import type { ActionContract } from '../../contract/contract.ts';
import type { Loader } from '../../contract/contract-types.ts';
import { NotFound, noWorkspace, Problem } from '../../contract/problem.ts';
import type { ActionContext } from '../middleware.ts';
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
  const source = 'in' in access && 'resource' in access.in ? [access.in] : [];
  const alone = access.who === 'operator' && access.of ? [access.of] : [];
  const within = access.who === 'member' && access.within ? [access.within] : [];
  for (const { resource, loader = resource } of [...source, ...alone, ...within]) {
    if (!Object.hasOwn(loaders, loader)) {
      throw new Error(`${name} has no loader for the resource "${loader}"`);
    }
  }
}

/** Finds the workspace of a call; undefined when the parameter is not valid, which validation answers with 400. */
export async function findWorkspace(
  contract: ActionContract,
  source: WorkspaceSource,
  loaders: Loaders,
  ctx: ActionContext,
): Promise<FoundWorkspace | undefined> {
  const id = idIn(source.parameter, contract, ctx);
  if (id === undefined) return undefined;
  if (!('resource' in source)) return { workspaceId: id, refusal: () => noWorkspace(id) };
  const refusal = () => noResource(source.resource, id);
  const resource = await loaderOf(loaders, source)(id, ctx.params);
  if (!resource) throw refusal();
  if (!('workspaceId' in resource)) throw new TypeError(`a ${source.resource} has no workspace`);
  ctx.locals.resource = resource;
  return { workspaceId: resource.workspaceId, refusal };
}

/** Loads a resource that belongs to no workspace. `assertIds` has checked its parameter. */
export async function loadResource(
  source: ResourceSource,
  loaders: Loaders,
  ctx: ActionContext,
): Promise<void> {
  const id = Number(ctx.params[source.parameter]);
  const found = await loaderOf(loaders, source)(id, ctx.params);
  if (!found) throw noResource(source.resource, id);
  ctx.locals.resource = found;
}

/** Refuses a resource that is not in the workspace. `assertIds` has checked its parameter. */
export async function assertWithin(
  source: ResourceSource,
  workspaceId: number,
  loaders: Loaders,
  ctx: ActionContext,
): Promise<void> {
  const id = Number(ctx.params[source.parameter]);
  const found = await loaderOf(loaders, source)(id, ctx.params);
  const isWithin = found && 'workspaceId' in found && found.workspaceId === workspaceId;
  if (!isWithin) throw noResource(source.resource, id);
  ctx.locals.resource = found;
}

function loaderOf(loaders: Loaders, { resource, loader = resource }: ResourceSource): Loader {
  const load = loaders[loader];
  if (!load) throw new TypeError(`no loader for ${loader}`); // `assertLoaders` has refused it
  return load;
}

const noResource = (resource: string, id: number): Problem =>
  new Problem(NotFound, `There is no ${resource} ${id}.`);
