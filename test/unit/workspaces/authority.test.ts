import type { Role } from '../../../contract/access-rule.ts';
import { ANONYMOUS, asConsole, asSystem, type Caller } from '../../../contract/caller.ts';
import type { Locals } from '../../../contract/contract-types.ts';
import { Problem } from '../../../contract/problem.ts';
import {
  type Authority,
  assertMayGrant,
  assertMayTake,
  authorityOf,
  isSelf,
  roleOfCaller,
  SYSTEM,
} from '../../../services/workspaces/members/authority.ts';
import { assertOwner } from '../../../services/workspaces/members/ownership/owners.ts';

const person: Caller = { kind: 'person', userId: 7, name: 'Ada', sessionId: 's' };
const account: Caller = { kind: 'service-account', accountId: 7, name: 'Robot', workspaceId: 1 };
const key: Caller = { kind: 'api-key', keyId: 7, name: 'Key', workspaceId: 1, scopes: [] };
const run: Caller = { kind: 'run', runId: 7, workspaceId: 1 };

const calledBy = (caller: Caller, role?: Role) => {
  const locals: Locals = role ? { role } : {};
  return { meta: { caller }, locals };
};

describe('the authority of a caller', () => {
  it.each<[Caller, Authority]>([
    [person, { kind: 'person', userId: 7, role: 'ADMIN' }],
    [account, { kind: 'service-account', role: 'ADMIN' }],
  ])('is the role that the access check found: %j', (caller, authority) => {
    expect(authorityOf(calledBy(caller, 'ADMIN'))).toEqual(authority);
    expect(roleOfCaller(calledBy(caller, 'ADMIN'))).toBe('ADMIN');
  });

  it.each([person, account])('is never assumed when no role was found: %j', (caller) => {
    expect(() => authorityOf(calledBy(caller))).toThrow(TypeError);
    expect(() => roleOfCaller(calledBy(caller))).toThrow(TypeError);
  });

  it.each([asSystem('runs').meta.caller, asConsole.meta.caller])('is the system: %j', (caller) => {
    expect(authorityOf(calledBy(caller))).toBe(SYSTEM);
    expect(roleOfCaller(calledBy(caller))).toBe('OWNER');
  });

  it.each([key, run, ANONYMOUS])('is refused, whatever role was found: %j', (caller) => {
    expect(() => authorityOf(calledBy(caller, 'OWNER'))).toThrow(Problem);
    expect(() => roleOfCaller(calledBy(caller, 'OWNER'))).toThrow(Problem);
  });
});

describe('a service account', () => {
  const robot: Authority = { kind: 'service-account', role: 'ADMIN' };

  it('gives no role above its own, and neither gives nor takes OWNER', () => {
    expect(() => assertMayGrant(robot, 'ADMIN')).not.toThrow();
    expect(() => assertMayGrant(robot, 'OWNER')).toThrow('may not give');
    expect(() => assertMayTake(robot, 'OWNER')).toThrow('Only an OWNER');
    const owners = { _id: 1, ownerIds: [7], pendingOwnerIds: [], createdAt: new Date() };
    expect(() => assertOwner(owners, robot)).toThrow('Only an OWNER');
  });

  it('is not the user with the same id', () => {
    expect(isSelf(robot, 7)).toBe(false);
    expect(isSelf({ kind: 'person', userId: 7, role: 'GUEST' }, 7)).toBe(true);
  });
});
