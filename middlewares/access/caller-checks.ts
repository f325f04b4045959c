import type { Access, MemberAccess, Role, RunAccess, Scope } from '../../contract/access-rule.ts';
import { authenticationNeeded } from '../../contract/authentication-needed.ts';
import {
  type Actor,
  type ApiKeyCaller,
  actorOf,
  type Caller,
  type PersonCaller,
  type ServiceAccountCaller,
} from '../../contract/caller.ts';
import {
  Forbidden,
  noUser,
  noWorkspace,
  Problem,
  Unauthenticated,
} from '../../contract/problem.ts';
import type { ActionContext } from '../middleware.ts';
import type { AccessSources } from './access-sources.ts';
import type { FoundWorkspace } from './workspace.ts';

type KeyAccess = Extract<Access, { who: 'key' }>;
/** A caller that may have a role in a workspace. */
type Member = PersonCaller | ServiceAccountCaller;

const forbidden = (detail: string) => new Problem(Forbidden, detail);
/** The 401 of a caller whose kind has no access. */
export const noAccess = () =>
  new Problem(Unauthenticated, 'This caller has no access to this operation.');

/** Refuses a kind of caller that this version does not know: a newer process may send such a caller. */
function refuseUnknown(caller: never): never {
  throw new Problem(Forbidden, `Callers of the kind ${(caller as Caller).kind} may not do this.`);
}

/** The rules of access that ask for no role in a workspace. */
type KindAccess = Exclude<Access, { who: 'public' } | MemberAccess | KeyAccess | RunAccess>;

/** Whether a rule admits callers of a kind. The rule may ask more of the caller, such as to be an operator. */
export function admitsKind(access: KindAccess, caller: Caller): boolean {
  switch (caller.kind) {
    case 'system':
      return true;
    case 'operator-console':
      return !answersSecrets(access);
    case 'person':
      return access.who !== 'internal';
    case 'service-account':
      // For `invitee` the action answers 404, as to every caller without an invitation.
      return access.who === 'authenticated' || access.who === 'invitee';
    case 'api-key':
      return access.who === 'authenticated' && access.keys === 'any';
    case 'run': // acts as its workspace, in which it has no role
    case 'anonymous':
      return false;
    default:
      return refuseUnknown(caller);
  }
}

const answersSecrets = (access: KindAccess): boolean =>
  access.who === 'internal' && access.answersSecrets === true;

/** Refuses by the kind of the caller, where the access rule asks for no role in a workspace. */
export function assertKind(access: KindAccess, caller: Caller): void {
  if (admitsKind(access, caller)) return;
  if (caller.kind === 'operator-console') {
    throw forbidden(
      'This action answers secrets: only services call it, not the operator console.',
    );
  }
  throw forbidden(
    access.who === 'person' ? 'Only a person may do this.' : 'This caller may not do this.',
  );
}

/**
 * Refuses persons but the user and operators. A person whose id is another gets 403 for every id, so that only an
 * operator learns which ids have users.
 */
export async function assertSelfOrOperator(
  caller: Caller,
  subjectId: number,
  sources: AccessSources,
): Promise<void> {
  const userId = caller.kind === 'person' ? caller.userId : null;
  if (userId === subjectId) return;
  const { operator, exists } = await sources.accessToUser(userId, subjectId);
  if (userId !== null && !operator) throw forbidden('Only the user or an operator may do this.');
  if (!exists) throw noUser(subjectId);
}

/** Refuses persons that are no operators. */
export async function assertOperator(caller: Caller, sources: AccessSources): Promise<void> {
  if (caller.kind !== 'person') return; // `assertKind` admits no others but the system and its console
  const { operator } = await sources.accessToUser(caller.userId, caller.userId);
  if (!operator) throw forbidden('Only an operator may do this.');
}

/** Refuses callers without a role in the workspace, as if it did not exist. */
export async function assertMember(
  caller: Caller,
  workspaceId: number,
  sources: AccessSources,
): Promise<void> {
  switch (caller.kind) {
    case 'system':
    case 'operator-console':
      return;
    case 'person':
    case 'service-account':
      if (await findRole(caller, workspaceId, sources)) return;
      break;
    case 'api-key':
    case 'run':
    case 'anonymous':
      break;
    default:
      refuseUnknown(caller);
  }
  throw noWorkspace(workspaceId);
}

/**
 * Refuses accounts where only API keys have access, and keys where they have none, before the resource is looked up:
 * they learn nothing of it.
 */
export function assertCredentialKind(
  access: MemberAccess | KeyAccess | RunAccess,
  { kind }: Caller,
): void {
  const isAccount = kind === 'person' || kind === 'service-account';
  if (access.who === 'key' && isAccount) throw authenticationNeeded(access);
  if (kind === 'api-key' && !scopeOf(access)) throw noAccess();
}

/** The access rule of an action in a workspace. */
interface WorkspaceRule {
  access: MemberAccess | KeyAccess | RunAccess;
  /** Whether a run of the workspace may read with the action, for its agent. */
  runMayRead: boolean;
}

/** Refuses by the caller's role in the workspace, by its API key, or by its run. Stores the role for the handler. */
export async function assertInWorkspace(
  { access, runMayRead }: WorkspaceRule,
  caller: Caller,
  found: FoundWorkspace,
  ctx: ActionContext,
  sources: AccessSources,
): Promise<void> {
  switch (caller.kind) {
    case 'system':
    case 'operator-console':
      return;
    case 'api-key':
      await assertKey(scopeOf(access), caller, found, sources);
      return;
    case 'person':
    case 'service-account':
      if (access.who === 'run') throw noAccess();
      if (access.who === 'key') throw authenticationNeeded(access);
      return assertRole(access, caller, found, ctx, sources);
    case 'run': // acts as its workspace, in which it has no role
      if (access.who !== 'run' && !runMayRead) throw noAccess();
      return assertOwnWorkspace(caller, found, sources);
    case 'anonymous':
      throw noAccess();
    default:
      refuseUnknown(caller);
  }
}

function scopeOf(access: MemberAccess | KeyAccess | RunAccess): Scope | undefined {
  if (access.who === 'run') return undefined;
  return access.who === 'key' ? access.scope : access.keyScope;
}

/** Refuses a caller of another workspace, and each caller once its workspace is deleted. */
async function assertOwnWorkspace(
  caller: { workspaceId: number },
  found: FoundWorkspace,
  sources: AccessSources,
): Promise<void> {
  const { workspaceId } = found;
  const isOwn = caller.workspaceId === workspaceId && (await sources.workspaceExists(workspaceId));
  if (!isOwn) throw found.refusal();
}

async function assertKey(
  scope: Scope | undefined,
  key: ApiKeyCaller,
  found: FoundWorkspace,
  sources: AccessSources,
): Promise<void> {
  await assertOwnWorkspace(key, found, sources);
  if (!scope || !key.scopes.includes(scope)) throw forbidden(`The key needs the scope ${scope}.`);
}

async function assertRole(
  access: MemberAccess,
  caller: Member,
  found: FoundWorkspace,
  ctx: ActionContext,
  sources: AccessSources,
): Promise<void> {
  const role = await findRole(caller, found.workspaceId, sources);
  if (!role) throw found.refusal();
  ctx.locals.role = role;
  if (access.roles.includes(role)) {
    if (access.rules?.includes('own') && !isOwn(ctx.locals.resource, caller)) throw found.refusal();
    return;
  }
  if (access.rules?.includes('self') && (await concernsSelf(caller, ctx, sources))) return;
  throw forbidden(`The role ${role} may not do this; it takes ${access.roles.join(', ')}.`);
}

/**
 * Whether the caller has made the resource. A call that names no resource is one of a list, which has the caller's own
 * resources alone.
 */
function isOwn(resource: unknown, caller: Member): boolean {
  if (resource === undefined) return true;
  const { createdBy } = resource as { createdBy?: Actor };
  const { type, id } = actorOf(caller);
  return createdBy?.type === type && createdBy.id === id;
}

/** Refuses a service with the rule `own` beside a resource of `within`, which the rule would not look at. */
export function assertOwnRule(name: string, access: Access): void {
  const isOfPart = access.who === 'member' && access.rules?.includes('own') && access.within;
  if (isOfPart) throw new Error(`${name} has the rule "own", which looks at no resource of within`);
}

/** The role of a member; null for none. A service account has a role in its own workspace only. */
async function findRole(
  caller: Member,
  workspaceId: number,
  sources: AccessSources,
): Promise<Role | null> {
  if (caller.kind === 'person') return sources.roleOf(caller.userId, workspaceId);
  if (caller.workspaceId !== workspaceId) return null;
  return sources.roleOfServiceAccount(caller.accountId, workspaceId);
}

/** Whether the call concerns the membership of the person who makes it. */
async function concernsSelf(
  caller: Member,
  ctx: ActionContext,
  sources: AccessSources,
): Promise<boolean> {
  const { userEmail } = ctx.params;
  if (caller.kind !== 'person' || typeof userEmail !== 'string') return false;
  return sources.isOwnAddress(caller.userId, userEmail);
}
