/** A member's role in a workspace, highest first: nobody grants a role above their own. */
export const ROLES = ['OWNER', 'ADMIN', 'MEMBER', 'AGENT', 'GUEST'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `role` stands above `other`: OWNER > ADMIN > MEMBER > AGENT > GUEST. */
export const isAbove = (role: Role, other: Role): boolean =>
  ROLES.indexOf(role) < ROLES.indexOf(other);

/** What an API key may be made for. */
export const SCOPES = [
  'issues:create',
  'configurations:restore',
  'configurations:properties',
  'flows:run',
  'flows:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The parameter that names the workspace, or the resource by which its workspace is found. */
export type WorkspaceSource =
  | { parameter: string }
  /** `resource` is loaded by the service that owns the action, before the rest is validated. */
  | { resource: string; parameter: string };

/**
 * What narrows or widens a member's row. `self` lets everyone do it to themselves, and the access check
 * knows it; `not-self` and `owner-for-owner` depend on whom it concerns: the workspaces service holds
 * them (`authority.ts`), the contract names them for the reference.
 */
export type MemberRule = 'self' | 'not-self' | 'owner-for-owner';

export interface MemberAccess {
  who: 'member';
  roles: readonly Role[];
  in: WorkspaceSource;
  /** A resource of that workspace that has to be there before the rest is looked at. */
  within?: { resource: string; parameter: string };
  /** An API key of the workspace with this scope may call as well. */
  keyScope?: Scope;
  rules?: readonly MemberRule[];
}

/** Who may call an action. Checked before its parameters; an action without one does not start. */
export type Access =
  /** No token needed. With `optionalToken` one that is given says who calls, and a bad one is 401. */
  | { who: 'public'; optionalToken?: true }
  /**
   * Any valid token, a service account's included. Where `memberOf` is given and that parameter names a
   * workspace, a person has to be a member of it: the action holds that, the contract names it.
   */
  | { who: 'authenticated'; memberOf?: string }
  /** A person's token. */
  | { who: 'person' }
  /** Other services and the operator console only; never routed. */
  | { who: 'internal' }
  | MemberAccess
  /** An API key with that scope and nothing else. */
  | { who: 'key'; scope: Scope; in: WorkspaceSource };

/** Whether a token that comes with the request is looked at. */
export const readsToken = (access: Access): boolean =>
  access.who !== 'public' || access.optionalToken === true;

const roles = (...names: Role[]): readonly Role[] => names;
/** The rows of the permission matrix that recur, named once. */
export const EVERY_ROLE = ROLES;
export const OWNERS = roles('OWNER');
export const ADMINS = roles('OWNER', 'ADMIN');
export const MEMBERS = roles('OWNER', 'ADMIN', 'MEMBER');
export const WORKERS = roles('OWNER', 'ADMIN', 'MEMBER', 'AGENT');
