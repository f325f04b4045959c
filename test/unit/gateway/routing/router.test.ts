import fc from 'fast-check';
import type { ActionContract, Method } from '../../../../contract/contract.ts';
import { parametersOf, type Route, Router } from '../../../../mixins/gateway/routing/router.ts';

const contract = {} as ActionContract;
const route = (text: string): Route => {
  const [method, path] = text.split(' ') as [Method, string];
  return { action: text, contract, method, path, location: null };
};
const router = new Router(
  [
    'GET /flows/stats',
    'POST /flows/validate',
    'GET /flows/:flowId',
    'GET /flows/:flowId/versions/:versionId',
    'GET /flows/runs/:runId',
    'PUT /workspaces/:workspaceId/issues/:issueId',
    'GET /workspaces/:id',
  ].map(route),
);
const methodsAt = (path: string) => [...(router.match(path)?.routes.keys() ?? [])];

describe('a path finds its routes', () => {
  it.each([
    ['/flows/stats', 'GET', '/flows/stats'],
    ['/flows/7', 'GET', '/flows/:flowId'],
    ['/flows/runs/7', 'GET', '/flows/runs/:runId'],
    ['/flows/7/versions/3', 'GET', '/flows/:flowId/versions/:versionId'],
    ['/workspaces/1', 'GET', '/workspaces/:id'],
  ])('%s by %s', (path, method, expected) => {
    expect(router.match(path)?.routes.get(method)?.path).toBe(expected);
  });

  it('lets a literal segment beat a parameter for every method', () => {
    expect(methodsAt('/flows/validate')).toEqual(['POST']);
  });

  it('falls back to a parameter where the literal leads nowhere', () => {
    expect(router.match('/flows/runs/versions/3')?.routes.get('GET')?.path).toBe(
      '/flows/:flowId/versions/:versionId',
    );
  });

  it.each([
    '/',
    '',
    '/flows',
    '/flows/',
    '/Flows/stats',
    '/flows/stats/',
    '//flows/stats',
    '/flows//stats',
    '/flows/7/versions',
    '/flows/7/versions/',
  ])('finds nothing at %p', (path) => {
    expect(router.match(path)).toBeNull();
  });

  it('never throws, whatever the path', () => {
    fc.assert(fc.property(fc.string(), (path) => void router.match(path)));
  });
});

it('gives the parameters as they were sent', () => {
  const match = router.match('/workspaces/%37/issues/a%20b');
  const found = match?.routes.get('PUT');
  expect(found && parametersOf(found, match?.segments ?? [])).toEqual({
    workspaceId: '%37',
    issueId: 'a%20b',
  });
});

it('refuses the same route twice', () => {
  expect(() => new Router([route('GET /a/:b'), route('GET /a/:c')])).toThrow('twice');
});
