import type { Analysis } from '../../language/expression.ts';
import { TenantAnalyses } from '../../sandbox/child/tenant-analyses.ts';
import { ANALYSED_TENANTS } from '../../sandbox/limits.ts';
import { RecentTenants } from '../../sandbox/recent-tenants.ts';

let count: number;
const analyse = (): Analysis => {
  count += 1;
  return { error: { message: '', position: 0 } };
};
beforeEach(() => {
  count = 0;
});

test('a tenant is not served what files of another one have left', () => {
  const analyses = new TenantAnalyses();
  for (const tenant of ['workspace:1', 'workspace:2', 'workspace:1', 'workspace:2']) {
    analyses.of(tenant).get('$input.a', analyse);
  }
  expect(count).toBe(2);
});

test('the analyses of the tenant that had files checked least recently are dropped', () => {
  const analyses = new TenantAnalyses();
  const check = (tenant: number) => analyses.of(String(tenant)).get('$input.a', analyse);
  for (let tenant = 0; tenant < ANALYSED_TENANTS; tenant++) check(tenant);
  check(0);
  check(ANALYSED_TENANTS);
  expect(count).toBe(ANALYSED_TENANTS + 1);
  check(0);
  expect(count).toBe(ANALYSED_TENANTS + 1);
  check(1);
  expect(count).toBe(ANALYSED_TENANTS + 2);
});

test('analyses that were dropped are made again', () => {
  const analyses = new TenantAnalyses();
  analyses.of('1').get('$input.a', analyse);
  analyses.clear();
  analyses.of('1').get('$input.a', analyse);
  expect(count).toBe(2);
});

test('recent tenants are those that were added last', () => {
  const recent = new RecentTenants(2);
  expect(recent.isEmpty).toBe(true);
  for (const tenant of ['a', 'b', 'a', 'c']) recent.add(tenant);
  expect(['a', 'b', 'c'].filter((tenant) => recent.has(tenant))).toEqual(['a', 'c']);
  expect(recent.isEmpty).toBe(false);
});
