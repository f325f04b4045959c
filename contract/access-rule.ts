/** The roles of members in a workspace, highest first. No member grants a role above their own. */
export const ROLES = ['OWNER', 'ADMIN', 'MEMBER', 'AGENT', 'GUEST'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `role` stands above `other`: OWNER > ADMIN > MEMBER > AGENT > GUEST. */
export const isAbove = (role: Role, other: Role): boolean =>
  ROLES.indexOf(role) < ROLES.indexOf(other);

/** The scopes that an API key may have. */
export const SCOPES = [
  'issues:create',
  'configurations:restore',
  'configurations:properties',
  'flows:run',
  'flows:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** A resource that the access check loads by the id in a parameter, before it checks the role. */
export interface ResourceSource {
  /** The name of the resource in the 404 for an id that it lacks. */
  resource: string;
  parameter: string;
  /** The loader of the service that finds the resource; the one named as the resource unless given. */
  loader?: string;
}

/** The parameter that names the workspace, or the resource whose workspace counts. */
export type WorkspaceSource = { parameter: string } | ResourceSource;

/**
 * A rule beside the roles. `self` lets persons change their own membership, whatever their role; the
 * access check applies it. The workspaces service applies `not-self` and `owner-for-owner`
 * (`authority.ts`); the contract names them for the reference.
 */
export type MemberRule = 'self' | 'not-self' | 'owner-for-owner';

export interface MemberAccess {
  who: 'member';
  roles: readonly Role[];
  in: WorkspaceSource;
  /** A resource that must exist in that workspace; checked before the other parameters are. */
  within?: ResourceSource;
  /** An API key of the workspace with this scope may call as well. */
  keyScope?: Scope;
  rules?: readonly MemberRule[];
}

/** The rule on who may call an action. A service with an action that has no rule does not start. */
export type Access =
  /** Everyone. With `optionalToken` a token names the caller, and an invalid token is answered 401. */
  | { who: 'public'; optionalToken?: true }
  /**
   * Persons and service accounts. Where the parameter that `memberOf` names has the id of a workspace, the
   * access check refuses callers who are no members of that workspace with 404.
   */
  | { who: 'authenticated'; memberOf?: string }
  /** Persons alone. */
  | { who: 'person' }
  /** Services of this system and the operator console. Such an action has no route. */
  | { who: 'internal' }
  | MemberAccess
  /** API keys of the workspace that have the scope, and no other tokens. */
  | { who: 'key'; scope: Scope; in: WorkspaceSource };

/** Whether the gateway reads the token of a request for the action. */
export const readsToken = (access: Access): boolean =>
  access.who !== 'public' || access.optionalToken === true;

const roles = (...names: Role[]): readonly Role[] => names;
/** Roles that several rules of access name, as the permission matrix groups them. */
export const EVERY_ROLE = ROLES;
export const OWNERS = roles('OWNER');
export const ADMINS = roles('OWNER', 'ADMIN');
export const MEMBERS = roles('OWNER', 'ADMIN', 'MEMBER');
export const WORKERS = roles('OWNER', 'ADMIN', 'MEMBER', 'AGENT');
