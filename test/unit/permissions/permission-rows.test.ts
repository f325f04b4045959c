import { SCOPES } from '../../../contract/access-rule.ts';
import { permissionLines, permissionRows } from '../../e2e/permission-rows.ts';
import { operations, rowOf, scopeOf } from '../../e2e/permissions-matrix.ts';

/** The areas without an operation. The first operation of an area makes every row of the area binding. */
const UNBUILT_AREAS = ['/attachments'];

/** The operations that a built area still lacks, by area. */
const MISSING: Record<string, readonly string[]> = {
  agent: ['POST /agent/conversations/{id}/attachments'],
};

const isIn = (area: string, path: string): boolean => path === area || path.startsWith(`${area}/`);
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

  it('has rows without an operation in areas that are not built, and for named operations', () => {
    const built = new Set(operations.map(routeOf));
    const missing = Object.values(MISSING).flat();
    const lacking = permissionRows
      .filter((row) => !built.has(routeOf(row)))
      .filter(({ path }) => !UNBUILT_AREAS.some((area) => isIn(area, path)));
    expect(lacking.map(routeOf).sort()).toEqual([...missing].sort());
  });

  it.each(UNBUILT_AREAS)('has no operation yet in %s', (area) => {
    expect(operations.filter(({ path }) => isIn(area, path)).map(routeOf)).toEqual([]);
    expect(permissionRows.some(({ path }) => isIn(area, path))).toBe(true);
  });

  it.each(SCOPES)('opens an operation to the scope %s', (scope) => {
    const scopes = operations.map(({ contract }) => scopeOf(contract.access));
    expect(scopes).toContain(scope);
  });
});
