import { isAbove, type Role } from '../../../contract/access-rule.ts';
import type { PermissionRow } from '../permission-rows.ts';

/** The roles of a caller: `role` in the workspace `own`, `elsewhere` in the workspace `other`, null for none. */
interface Member {
  role: Role | null;
  elsewhere?: Role;
}

/** A caller, by what counts for a row of `permissions.tsv`. */
export type CallerTraits =
  | { kind: 'nobody' }
  /** A token or key that is malformed, forged, expired or revoked. */
  | { kind: 'invalid-token' }
  | { kind: 'invalid-key' }
  /** `showsBadKey`: beside the token, the request carries an API key that is not valid. */
  | (Member & { kind: 'person'; operator?: true; showsBadKey?: true })
  | (Member & { kind: 'service-account' })
  /** `isHome`: whether the key belongs to the workspace of the test. */
  | { kind: 'api-key'; isHome: boolean; scopes: readonly string[] };

/**
 * The resource of a request: in the workspace of the test, in another one, or nowhere. `missing-part` and
 * `foreign-part` name the workspace of the test, and a part that no workspace has or that another one has.
 */
export type Target = 'own' | 'other' | 'unknown' | 'missing-part' | 'foreign-part';

const lacksPart = (target: Target): boolean =>
  target === 'missing-part' || target === 'foreign-part';

/** What a request is about, for the rules of a row. */
export interface Concern {
  /** Whether the request is about the caller, or the resource is the caller's. */
  self?: boolean;
  /** Whether the request gives, takes or invites the role OWNER. */
  owner?: boolean;
}

export type Expected = 'success' | 401 | 403 | 404;

/** The answer that a row of `permissions.tsv` promises, by the order of checks in `decisions.md` §1. */
export function expectedAnswer(
  row: PermissionRow,
  caller: CallerTraits,
  target: Target,
  concern: Concern = {},
): Expected {
  if (row.who === 'public') return 'success';
  if (caller.kind === 'nobody' || caller.kind === 'invalid-token') return 401;
  if (caller.kind === 'invalid-key') return 401;
  if (caller.kind === 'api-key') return answerToKey(row, caller, target);
  if (caller.kind === 'person' && caller.showsBadKey && row.keyScope) return 401;
  switch (row.who) {
    case 'key':
      return 401;
    case 'anyone':
    case 'anyone-or-key':
      return row.isOfMembers && !roleIn(caller, target) ? 404 : answerToOne(target);
    case 'person':
      if (caller.kind !== 'person') return 403;
      return row.rules.includes('own') && !concern.self ? 404 : answerToOne(target);
    case 'operator':
      return caller.kind === 'person' && caller.operator ? answerToOne(target) : 403;
    case 'self-or-operator':
      if (caller.kind !== 'person') return 403;
      if (concern.self) return 'success';
      return caller.operator ? answerToOne(target) : 403;
    case 'invitee':
      return caller.kind === 'person' && concern.self ? answerToOne(target) : 404;
    default:
      return answerToMember(row, caller, target, concern);
  }
}

const answerToOne = (target: Target): Expected => (target === 'unknown' ? 404 : 'success');

/** The role in the workspace of the target. */
function roleIn({ role, elsewhere }: Member, target: Target): Role | null {
  if (target === 'unknown') return null;
  return target === 'other' ? (elsewhere ?? null) : role;
}

/** The workspace comes before the scope, so that a key learns nothing of another workspace. */
function answerToKey(
  row: PermissionRow,
  key: CallerTraits & { kind: 'api-key' },
  target: Target,
): Expected {
  if (!row.keyScope) return 401;
  if (row.keyScope === 'any') return 'success';
  const isReached = key.isHome ? target === 'own' : target === 'other';
  if (!isReached && !(key.isHome && lacksPart(target))) return 404;
  if (!key.scopes.includes(row.keyScope)) return 403;
  return lacksPart(target) ? 404 : 'success';
}

function answerToMember(
  row: PermissionRow,
  caller: CallerTraits & { kind: 'person' | 'service-account' },
  target: Target,
  concern: Concern,
): Expected {
  const role = roleIn(caller, target);
  if (!role) return 404;
  if (!isOpenTo(row, caller, role, concern)) return 403;
  if (row.rules.includes('own') && concern.self === false) return 404;
  return lacksPart(target) ? 404 : 'success';
}

function isOpenTo(
  { roles, rules }: PermissionRow,
  { kind }: CallerTraits,
  role: Role,
  { self = false, owner = false }: Concern,
): boolean {
  if (self && rules.includes('not-self')) return false;
  if (self && kind === 'person' && rules.includes('self')) return true;
  if (!roles.includes(role)) return false;
  return !(owner && rules.includes('owner-for-owner') && isAbove('OWNER', role));
}
