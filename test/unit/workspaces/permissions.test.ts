import { type Access, EVERY_ROLE, OWNERS, type Role } from '../../../contract/access-rule.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { Route } from '../../../mixins/gateway/routing/router.ts';
import { opensTo, operationsFor } from '../../../services/workspaces/permissions.ts';

const PERSON: Caller = { kind: 'person', userId: 7, name: 'Ada', sessionId: 's' };
const ACCOUNT: Caller = { kind: 'service-account', accountId: 8, name: 'Import', workspaceId: 3 };
const person = (role: Role, isOperator = false) => ({ caller: PERSON, role, isOperator });
const inWorkspace = { parameter: 'workspaceId' };

describe('what an access rule opens to a GUEST', () => {
  it.each<[string, Access, boolean]>([
    ['public', { who: 'public' }, true],
    ['anyone', { who: 'authenticated' }, true],
    ['person', { who: 'person' }, true],
    ['every role', { who: 'member', roles: EVERY_ROLE, in: inWorkspace }, true],
    ['owners', { who: 'member', roles: OWNERS, in: inWorkspace }, false],
    [
      'owners, and oneself',
      { who: 'member', roles: OWNERS, in: inWorkspace, rules: ['self'] },
      true,
    ],
    ['a key', { who: 'key', scope: 'flows:run', in: inWorkspace }, false],
    ['other services', { who: 'internal' }, false],
    ['runs', { who: 'run', in: inWorkspace }, false],
  ])('%s', (_what, access, opens) => {
    expect(opensTo(access, person('GUEST'))).toBe(opens);
  });
});

describe('what an access rule opens to other callers', () => {
  const account = { caller: ACCOUNT, role: 'ADMIN', isOperator: false } as const;
  it.each<[string, Access, boolean]>([
    ['anyone', { who: 'authenticated' }, true],
    ['every role', { who: 'member', roles: EVERY_ROLE, in: inWorkspace }, true],
    ['persons', { who: 'person' }, false],
    ['users themselves', { who: 'self-or-operator', parameter: 'id' }, false],
    ['operators', { who: 'operator' }, false],
    ['invited persons', { who: 'invitee' } as Access, false],
    [
      'owners, and persons themselves',
      { who: 'member', roles: OWNERS, in: inWorkspace, rules: ['self'] },
      false,
    ],
  ])('a service account: %s', (_what, access, opens) => {
    expect(opensTo(access, account)).toBe(opens);
  });

  it('an operator may call what is for operators, and no other person', () => {
    expect(opensTo({ who: 'operator' }, person('GUEST', true))).toBe(true);
    expect(opensTo({ who: 'operator' }, person('OWNER'))).toBe(false);
  });
});

describe('the operations of a role', () => {
  it('are those on HTTP, with the path as the reference writes it', () => {
    const route = (name: string, path: string, access: Access): Route => ({
      action: `boxes.${name}`,
      contract: { summary: '', access, result: null },
      method: 'GET',
      path,
      location: null,
    });
    const routes = [
      route('get', '/boxes/:boxId/lids/:lidId', { who: 'person' }),
      route('burn', '/burn', { who: 'member', roles: OWNERS, in: inWorkspace }),
    ];
    const get = { operation: 'boxes.get', method: 'GET', path: '/boxes/{boxId}/lids/{lidId}' };
    expect(operationsFor(person('GUEST'), routes)).toEqual([get]);
    expect(operationsFor(person('OWNER'), routes)).toHaveLength(2);
  });
});
