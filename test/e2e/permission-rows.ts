import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES, type Role } from '../../contract/access-rule.ts';

/** The columns of roles in `permissions.tsv`. */
const COLUMNS: readonly Role[] = ['OWNER', 'ADMIN', 'MEMBER', 'GUEST', 'AGENT'];
if (COLUMNS.length !== ROLES.length) throw new Error('the matrix lacks a role');

/** A row of `permissions.tsv`. */
export interface PermissionRow {
  method: string;
  /** With its parameters in braces. */
  path: string;
  who: string;
  /** The roles with `y`; empty where no role counts. */
  roles: readonly Role[];
  keyScope: string | null;
  rules: readonly string[];
  /** Whether a request that names a workspace is for members of the workspace. */
  isOfMembers: boolean;
}

/** The columns of a row before its note. */
const COLUMN_COUNT = 10;

const lines = readFileSync(join(import.meta.dirname, 'permissions.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1);

/** The rows without their notes. */
export const permissionLines: readonly string[] = lines.map((line) =>
  line.split('\t').slice(0, COLUMN_COUNT).join('\t'),
);

const textOf = (cell: string | undefined): string | null => (!cell || cell === '-' ? null : cell);

/** Reads a line of `permissions.tsv`. */
export function parseRow(line: string): PermissionRow {
  const [method = '', path = '', who = '', ...rest] = line.split('\t');
  const cells = rest.slice(0, COLUMNS.length);
  const [keyScope, rules, note = ''] = rest.slice(COLUMNS.length);
  return {
    method,
    path,
    who,
    roles: COLUMNS.filter((_role, i) => cells[i] === 'y'),
    keyScope: textOf(keyScope),
    rules: textOf(rules)?.split(',') ?? [],
    isOfMembers: note.includes('with workspaceId: a member of it'),
  };
}

export const permissionRows: readonly PermissionRow[] = lines.map(parseRow);

/** The cells of the roles, as a row of `permissions.tsv` has them; `roles` undefined where no role counts. */
export const cellsOf = (roles: readonly Role[] | undefined): string[] =>
  COLUMNS.map((role) => {
    if (!roles) return '-';
    return roles.includes(role) ? 'y' : 'n';
  });
