import type { Context, Middleware } from 'moleculer';
import type { z } from 'zod';
import type {
  Access as AccessRule,
  MemberAccess,
  Role,
  Scope,
  WorkspaceSource,
} from '../contract/access-rule.ts';
import type { Caller } from '../contract/caller.ts';
import { type ActionContract, placeOf } from '../contract/contract.ts';
import type {
  ContractedAction,
  Loader,
  LoadRequest,
  Locals,
  Meta,
} from '../contract/contract-types.ts';
import { IdText } from '../contract/fields.ts';
import {
  type FieldFault,
  Forbidden,
  invalidRequest,
  NotFound,
  noWorkspace,
  Problem,
  tokenNeeded,
  Unauthenticated,
} from '../contract/problem.ts';
import { TtlCache } from '../support/ttl-cache.ts';

type Ctx = Context<Record<string, unknown>, Meta, Locals>;
type Next = (ctx: Ctx) => Promise<unknown>;

/** What the access check asks others. */
export interface AccessSources {
  /** The person's role in the workspace now, or null. */
  roleOf: (userId: number, workspaceId: number) => Promise<Role | null>;
  /** Whether the address is the person's own: for rules that let everyone do it to themselves. */
  isOwnAddress: (userId: number, email: string) => Promise<boolean>;
}

const forbidden = (detail: string) => new Problem(Forbidden, detail);

/**
 * Refuses by the contract's access rule before the rest of the request is read, in the order of the
 * interface: token, ids, what names the workspace, the caller's role in it.
 */
export function Access(sources: AccessSources): Middleware {
  return {
    name: 'Access',
    localAction(next: Next, action: ContractedAction) {
      if (!action.contract) return refuseUnlessInternal(next, action.name);
      const contract = action.contract();
      if (!contract.access) throw new Error(`${action.name} does not say who may call it`);
      const check = checkOf(contract, action.loaders?.() ?? {}, sources);
      return async (ctx: Ctx) => {
        await check(ctx);
        return next(ctx);
      };
    },
  } as unknown as Middleware;
}

/** Moleculer's own actions and the gateway's entry have no contract; nothing else may lack one. */
function refuseUnlessInternal(next: Next, name: string): Next {
  if (!name.startsWith('$') && name !== 'api.rest') throw new Error(`${name} has no contract`);
  return next;
}

function checkOf(
  contract: ActionContract,
  loaders: Record<string, Loader>,
  sources: AccessSources,
) {
  const { access } = contract;
  const ids = idParametersOf(contract);
  return async (ctx: Ctx): Promise<void> => {
    const { caller } = ctx.meta;
    if (access.who === 'public') return;
    if (!caller || caller.kind === 'anonymous') {
      throw tokenNeeded();
    }
    assertIds(ids, ctx.params);
    if (!('in' in access)) {
      assertKind(access, caller);
      if (access.who === 'authenticated' && access.memberOf) {
        await assertMemberOf(access.memberOf, contract, caller, ctx, sources);
      }
      return;
    }
    const found = await findWorkspace(contract, access.in, loaders, ctx);
    if (found === 'invalid') return; // validation says what is wrong with it
    await assertInWorkspace(access, caller, found, ctx, sources);
    if (access.who === 'member' && access.within) {
      await assertWithin(access.within, found.workspaceId, loaders, ctx);
    }
  };
}

const trusted = (caller: Caller): boolean =>
  caller.kind === 'system' || caller.kind === 'operator-console';

function assertKind(access: AccessRule, caller: Caller): void {
  if (trusted(caller)) return;
  if (access.who === 'authenticated' && caller.kind !== 'api-key') return;
  if (access.who === 'person' && caller.kind === 'person') return;
  throw forbidden(
    access.who === 'person' ? 'Only a person may do this.' : 'This caller may not do this.',
  );
}

/** The path and query parameters that are ids: they are checked before anything is looked up. */
function idParametersOf(contract: ActionContract): [FieldFault['in'], string, z.ZodType][] {
  return (['path', 'query'] as const).flatMap((place) =>
    Object.entries(contract[place] ?? {})
      .filter(([, type]) => isIdType(type as z.ZodType))
      .map(([name, type]): [FieldFault['in'], string, z.ZodType] => [
        place,
        name,
        type as z.ZodType,
      ]),
  );
}
const isIdType = (type: z.ZodType): boolean =>
  type === IdText || ('unwrap' in type && (type as z.ZodOptional<z.ZodType>).unwrap() === IdText);

function assertIds(ids: [FieldFault['in'], string, z.ZodType][], params: Ctx['params']): void {
  const faults = ids.flatMap(([place, name, type]): FieldFault[] => {
    const parsed = type.safeParse(params[name]);
    if (parsed.success) return [];
    const missing = params[name] === undefined;
    return [
      {
        in: place,
        path: name,
        code: missing ? 'required' : 'invalid_id',
        message: missing ? 'is required' : (parsed.error.issues[0]?.message ?? 'is not an id'),
      },
    ];
  });
  if (faults.length) throw invalidRequest(faults);
}

interface Found {
  workspaceId: number;
  /** Makes the refusal for callers who may not know that the resource exists. Its stack costs time: only a refusal makes it. */
  refusal: () => Problem;
}

async function findWorkspace(
  contract: ActionContract,
  source: WorkspaceSource,
  loaders: Record<string, Loader>,
  ctx: Ctx,
): Promise<Found | 'invalid'> {
  const id = idIn(source.parameter, contract, ctx);
  if (id === undefined) return 'invalid';
  if (!('resource' in source)) return { workspaceId: id, refusal: () => noWorkspace(id) };
  const refusal = () => noResource(source.resource, id);
  const resource = await loaderOf(loaders, source.resource)(id, requestOf(ctx));
  if (!resource) throw refusal();
  ctx.locals.resource = resource;
  return { workspaceId: resource.workspaceId, refusal };
}

/** The id that a parameter gives; undefined when it gives none, or anything is wrong with it. */
function idIn(parameter: string, contract: ActionContract, ctx: Ctx): number | undefined {
  const place = placeOf(contract, parameter);
  if (ctx.meta.faults?.some((fault) => fault.in === place && fault.path === parameter)) {
    return undefined;
  }
  const { path, query, body } = contract;
  const type = body?.[parameter] ?? query?.[parameter] ?? path?.[parameter];
  const parsed = (type as z.ZodType).safeParse(ctx.params[parameter]);
  return parsed.success ? (parsed.data as number | undefined) : undefined;
}

/** Where the parameter names a workspace, it does so for its members only. */
async function assertMemberOf(
  parameter: string,
  contract: ActionContract,
  caller: Caller,
  ctx: Ctx,
  sources: AccessSources,
): Promise<void> {
  const id = idIn(parameter, contract, ctx);
  if (id === undefined || trusted(caller)) return;
  const role = caller.kind === 'person' && (await sources.roleOf(caller.userId, id));
  if (!role) throw noWorkspace(id);
}

/** The ids have been checked by now, so that the parameter is one. */
async function assertWithin(
  { resource, parameter }: { resource: string; parameter: string },
  workspaceId: number,
  loaders: Record<string, Loader>,
  ctx: Ctx,
): Promise<void> {
  const id = Number(ctx.params[parameter]);
  const found = await loaderOf(loaders, resource)(id, requestOf(ctx));
  if (found?.workspaceId !== workspaceId) throw noResource(resource, id);
  ctx.locals.resource = found;
}

const requestOf = ({ action, params }: Ctx): LoadRequest => ({
  action: action?.name ?? '',
  params,
});

function loaderOf(loaders: Record<string, Loader>, resource: string): Loader {
  const load = loaders[resource];
  if (!load) throw new TypeError(`no loader for ${resource}`);
  return load;
}

const noResource = (resource: string, id: number): Problem =>
  new Problem(NotFound, `There is no ${resource} ${id}.`);

async function assertInWorkspace(
  access: MemberAccess | { who: 'key'; scope: Scope },
  caller: Caller,
  found: Found,
  ctx: Ctx,
  sources: AccessSources,
): Promise<void> {
  if (trusted(caller)) return;
  const scope = access.who === 'key' ? access.scope : access.keyScope;
  if (caller.kind === 'api-key' && scope) {
    if (caller.workspaceId !== found.workspaceId) throw found.refusal();
    if (!caller.scopes.includes(scope)) throw forbidden(`The key needs the scope ${scope}.`);
    return;
  }
  if (caller.kind !== 'person' || access.who === 'key') {
    throw new Problem(Unauthenticated, 'This caller has no access to this operation.');
  }
  const role = await sources.roleOf(caller.userId, found.workspaceId);
  if (!role) throw found.refusal();
  ctx.locals.role = role;
  if (access.roles.includes(role)) return;
  if (access.rules?.includes('self') && (await concernsSelf(caller.userId, ctx, sources))) return;
  throw forbidden(`The role ${role} may not do this; it takes ${access.roles.join(', ')}.`);
}

async function concernsSelf(userId: number, ctx: Ctx, sources: AccessSources): Promise<boolean> {
  const { userEmail } = ctx.params;
  return typeof userEmail === 'string' && sources.isOwnAddress(userId, userEmail);
}

/** Roles as this node knows them; `member.changed` drops them. */
export class RoleCache {
  readonly #roles = new TtlCache<{ role: Role | null }>();
  readonly #read: AccessSources['roleOf'];

  constructor(read: AccessSources['roleOf']) {
    this.#read = read;
  }

  async roleOf(userId: number, workspaceId: number): Promise<Role | null> {
    const ask = async () => ({ role: await this.#read(userId, workspaceId) });
    return (await this.#roles.get(`${workspaceId}:${userId}:`, ask)).role;
  }

  /** Forgets one person's role, or everybody's in the workspace. */
  drop(workspaceId: number, userId?: number): void {
    this.#roles.drop(userId === undefined ? `${workspaceId}:` : `${workspaceId}:${userId}:`);
  }
}
