import type {
  Access,
  PartSource,
  ResourceSource,
  WorkspaceSource,
} from '../../contract/access-rule.ts';
import { authenticationNeeded } from '../../contract/authentication-needed.ts';
import type { ActionContract } from '../../contract/contract.ts';
import type { Loader, NamedLoader } from '../../contract/contract-types.ts';
import { NotFound, noWorkspace, Problem } from '../../contract/problem.ts';
import type { ActionContext } from '../middleware.ts';
import { idIn, textIn } from './id-parameters.ts';

export type Loaders = Readonly<Record<string, Loader | NamedLoader>>;

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
  const within = 'within' in access && access.within ? [access.within] : [];
  for (const { resource, loader = resource, ...rest } of [...source, ...alone, ...within]) {
    const found = Object.hasOwn(loaders, loader) ? loaders[loader] : undefined;
    if (!found || (typeof found === 'function') === 'by' in rest) {
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
  if ('of' in source) return workspaceOfKey(contract, ctx);
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

/** The workspace of the key that makes the call. Other callers have no workspace of their own here. */
function workspaceOfKey(
  { access }: ActionContract,
  { meta: { caller } }: ActionContext,
): FoundWorkspace {
  if (caller?.kind !== 'api-key') throw authenticationNeeded(access);
  const { workspaceId } = caller;
  return { workspaceId, refusal: () => noWorkspace(workspaceId) };
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

/**
 * Refuses a resource that is not in the workspace. `assertIds` has checked the parameter of an id; a name that is
 * not valid loads nothing, and validation answers it with 400.
 */
export async function assertWithin(
  contract: ActionContract,
  source: PartSource,
  workspaceId: number,
  loaders: Loaders,
  ctx: ActionContext,
): Promise<void> {
  const value =
    'by' in source ? textIn(source.parameter, contract, ctx) : Number(ctx.params[source.parameter]);
  if (value === undefined) return;
  const found = await (typeof value === 'string'
    ? namedLoaderOf(loaders, source).byName(value, workspaceId)
    : loaderOf(loaders, source)(value, ctx.params));
  const isWithin = found && 'workspaceId' in found && found.workspaceId === workspaceId;
  if (!isWithin) throw noResource(source.resource, value);
  ctx.locals.resource = found;
}

function loaderOf(loaders: Loaders, { resource, loader = resource }: ResourceSource): Loader {
  const load = loaders[loader];
  if (typeof load !== 'function') throw new TypeError(`no loader for ${loader}`); // `assertLoaders` has refused it
  return load;
}

function namedLoaderOf(
  loaders: Loaders,
  { resource, loader = resource }: ResourceSource,
): NamedLoader {
  const named = loaders[loader];
  if (typeof named !== 'object') throw new TypeError(`no loader by name for ${loader}`); // the same
  return named;
}

const noResource = (resource: string, id: number | string): Problem =>
  new Problem(NotFound, `There is no ${resource} ${id}.`);
