import { parametersOf, type Route } from './router.ts';

/**
 * The path at which what a route makes can be read (RFC 9110, section 10.2.2): of the GET that shows the
 * same type, by the parameters that the route has as well, and last the id. Null when there is none.
 */
export function locationPathOf(made: Route, routes: readonly Route[]): string | null {
  if (made.contract.status !== 201) return null;
  const known = parametersIn(made.path);
  const shows = ({ method, contract, path }: Route): boolean =>
    method === 'GET' &&
    contract.result === made.contract.result &&
    LAST_PARAMETER.test(path) &&
    parametersIn(path.replace(LAST_PARAMETER, '')).every((name) => known.includes(name));
  return routes.find(shows)?.path ?? null;
}

const LAST_PARAMETER = /\/:\w+$/;
const parametersIn = (path: string): string[] => path.match(/:\w+/g) ?? [];

/** The address of what was made: nothing that its path does not say already, but its id. */
export function locationOf(
  path: string,
  route: Route,
  segments: readonly string[],
  made: unknown,
): string {
  const values = parametersOf(route, segments);
  return path
    .replace(LAST_PARAMETER, `/${(made as { id: number }).id}`)
    .replaceAll(/:(\w+)/g, (_all, name: string) => values[name] ?? '');
}
