import { parametersOf, type Route } from './router.ts';

/**
 * The path of the GET that shows the resource that a route creates: the route's path, or the contract's `createdIn`,
 * with one more parameter. Null for a route without such a GET; throws where `createdIn` has none.
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

/** The `Location` of a created resource (RFC 9110, section 10.2.2). Its values are those of the request's path and the new id. */
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
