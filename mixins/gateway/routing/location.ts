import { parametersOf, type Route } from './router.ts';

/**
 * The path at which what a route creates can be read (RFC 9110, section 10.2.2): the one that its contract
 * names, else its own path with one parameter behind it. Null when there is no such GET, or nothing is
 * created. Throws for a collection that the contract names and no GET shows.
 */
export function locationPathOf(
  { action, path, contract }: UnlocatedRoute,
  routes: readonly UnlocatedRoute[],
): string | null {
  if (contract.status !== 201) return null;
  const collection = contract.createdIn ?? path;
  const item = routes.find(
    (route) =>
      route.method === 'GET' &&
      LAST_PARAMETER.test(route.path) &&
      route.path.replace(LAST_PARAMETER, '') === collection,
  );
  if (!item && contract.createdIn) throw new TypeError(`${action}: no GET shows what is created`);
  return item?.path ?? null;
}

type UnlocatedRoute = Omit<Route, 'location'>;

const LAST_PARAMETER = /\/:\w+$/;

/** The address of what was created. Its path has no values but those of the request's path and, last, its id. */
export function locationOf(
  path: string,
  route: Route,
  segments: readonly string[],
  { id }: { id: number },
): string {
  const values = parametersOf(route, segments);
  return path
    .replace(LAST_PARAMETER, `/${id}`)
    .replaceAll(/:(\w+)/g, (_all, name: string) => values[name] ?? '');
}
