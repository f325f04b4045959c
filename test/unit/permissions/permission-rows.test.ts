import { SCOPES } from '../../../contract/access-rule.ts';
import { permissionLines, permissionRows } from '../../e2e/permission-rows.ts';
import { operations, rowOf, scopeOf } from '../../e2e/permissions-matrix.ts';

const routeOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe('permissions.tsv', () => {
  it('has a row for each operation, which says what the contract says', () => {
    const rows = new Set(permissionLines);
    expect(operations.map(rowOf).filter((row) => !rows.has(row))).toEqual([]);
  });

  it('names each operation once', () => {
    const routes = permissionRows.map(routeOf);
    expect(routes.filter((route, i) => routes.indexOf(route) !== i)).toEqual([]);
  });

  it('has an operation for each row', () => {
    const built = new Set(operations.map(routeOf));
    expect(permissionRows.map(routeOf).filter((route) => !built.has(route))).toEqual([]);
  });

  it.each(SCOPES)('opens an operation to the scope %s', (scope) => {
    const scopes = operations.map(({ contract }) => scopeOf(contract.access));
    expect(scopes).toContain(scope);
  });
});
