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

/** A resource that the access check loads by the id in a parameter, before the access check compares the role. */
export interface ResourceSource {
  /** The name of the resource in the 404 for an id without a resource. */
  resource: string;
  parameter: string;
  /** The name of the service's loader that finds the resource; without `loader`, the value of `resource`. */
  loader?: string;
}

/** A resource of the workspace that the access check loads by the name in a text parameter, in place of an id. */
export interface NamedResourceSource extends ResourceSource {
  by: 'name';
}

/** A resource within the workspace of a call, by its id or by its name there. */
export type PartSource = ResourceSource | NamedResourceSource;

/** The workspace of the API key that makes the call. */
export interface KeyWorkspace {
  of: 'key';
}

/** The parameter that names the workspace, the resource whose workspace counts, or the API key that has a workspace. */
export type WorkspaceSource = { parameter: string } | ResourceSource | KeyWorkspace;

/**
 * A rule beside the roles. The access check applies `self`, by which a person of any role changes the person's own
 * membership, and `own`, by which a resource exists for its creator alone; a list with `own` has the caller's own
 * resources. The workspaces service applies `not-self` and `owner-for-owner` (`change-role.ts`,
 * `authority.ts`, `owners.ts`).
 */
export type MemberRule = 'self' | 'own' | 'not-self' | 'owner-for-owner';

export interface MemberAccess {
  who: 'member';
  roles: readonly Role[];
  in: WorkspaceSource;
  /** A resource that must exist in the workspace of `in`, checked before the other parameters. */
  within?: PartSource;
  /** The scope with which an API key of the workspace may call the action as well. */
  keyScope?: Scope;
  rules?: readonly MemberRule[];
}

/**
 * Runs of the workspace that a parameter names, beside services and the operator console. Such an action has no route:
 * an effect of a run calls it. It does what a MEMBER may do. The agent of a run may call reading tools as well
 * (`run-tool.ts`).
 */
export interface RunAccess {
  who: 'run';
  in: { parameter: string };
  within?: undefined;
}

/** The callers that may call an action. A service with an action that has no rule does not start. */
export type Access =
  /** Everyone. With `optionalToken` a token names the caller, and an invalid token is answered 401. */
  | { who: 'public'; optionalToken?: true }
  /**
   * Persons and service accounts. Where the parameter that `memberOf` names has the id of a workspace, the
   * access check answers 404 to callers without a membership of that workspace. With `keys` API keys have access too,
   * whatever their scopes: the action asks for the scopes of what it does for them.
   */
  | { who: 'authenticated'; memberOf?: string; keys?: 'any' }
  /** Persons alone, with `memberOf` as above. With the rule `own` the service answers 404 for a resource of another person. */
  | { who: 'person'; memberOf?: string; rules?: readonly 'own'[] }
  /** The person whose verified address the resource names. The action answers 404 to all other callers. */
  | { who: 'invitee' }
  /** The user whose id the parameter contains, and operators. An operator gets 404 for an id without a user. */
  | { who: 'self-or-operator'; parameter: string }
  /** Operators. The access check loads the resource of `of`, which belongs to no workspace, after it. */
  | { who: 'operator'; of?: ResourceSource }
  /**
   * Services of this system and the operator console. Such an action has no route. The operator console may not call
   * an action that answers secrets, which a terminal and its history would keep.
   */
  | { who: 'internal'; answersSecrets?: true }
  | RunAccess
  | MemberAccess
  /** API keys of the workspace that have the scope, and no other tokens. */
  | { who: 'key'; scope: Scope; in: WorkspaceSource; within?: PartSource };

/** Whether the gateway reads the token of a request for the action. */
export const readsToken = (access: Access): boolean =>
  access.who !== 'public' || access.optionalToken === true;

const roles = (...names: Role[]): readonly Role[] => names;
/** The groups of roles in the permission matrix, for the rules of access that name them. */
export const EVERY_ROLE = ROLES;
export const OWNERS = roles('OWNER');
export const ADMINS = roles('OWNER', 'ADMIN');
export const MEMBERS = roles('OWNER', 'ADMIN', 'MEMBER');
export const WORKERS = roles('OWNER', 'ADMIN', 'MEMBER', 'AGENT');
