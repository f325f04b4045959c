import { type Access, EVERY_ROLE, OWNERS } from '../../../contract/access-rule.ts';
import type { Route } from '../../../mixins/gateway/routing/router.ts';
import { opensTo, operationsFor } from '../../../services/workspaces/permissions.ts';

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
  ])('%s', (_what, access, opens) => {
    expect(opensTo(access, 'GUEST')).toBe(opens);
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
    expect(operationsFor('GUEST', routes)).toEqual([get]);
    expect(operationsFor('OWNER', routes)).toHaveLength(2);
  });
});
