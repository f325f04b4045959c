import { MethodNotAllowed, NotFound, Problem } from '../../../contract/problem.ts';
import type { GatewayRequest, RoutedRequest } from '../gateway-request.ts';
import { preflightHeaders } from '../headers/cors.ts';
import { assertOneHost } from '../headers/single-headers.ts';
import type { Reply } from '../reply.ts';
import { type Asset, assetReply, type Redirect } from '../routing/assets.ts';
import { isLocalRequest } from '../routing/local-request.ts';
import { parseQuery } from '../routing/query.ts';
import { type Match, type Route, Router } from '../routing/router.ts';
import { pathOf, splitUrl } from '../routing/target.ts';

/** The target of a request: an operation, a file or a redirect, or an OPTIONS request, whose reply lists the methods of its path. */
export type Target =
  | { kind: 'operation'; request: RoutedRequest }
  | { kind: 'file'; reply: Reply }
  | { kind: 'options'; reply: Reply };

export type FindTarget = (request: GatewayRequest) => Target;

/** Makes the step that finds the target of a request. It throws 400, 404 or 405. */
export function createRouteStep(
  routes: readonly Route[],
  assets: Readonly<Record<string, Asset | Redirect>>,
): FindTarget {
  const router = new Router(routes);
  return (request) => {
    const { http } = request;
    assertOneHost(http);
    const [path, search] = splitUrl(pathOf(http));
    const asset = Object.hasOwn(assets, path) ? assets[path] : undefined;
    if (asset) {
      return optionsOf(request, ASSET_METHODS) ?? { kind: 'file', reply: assetReply(asset) };
    }
    const match = router.match(path);
    if (!match || isHidden(match, request)) throw notFound(path);
    request.routePath = [...match.routes.values()][0]?.path;
    const options = optionsOf(request, methodsOf(match));
    if (options) return options;
    const route = match.routes.get(http.method === 'HEAD' ? 'GET' : (http.method ?? ''));
    if (!route) throw methodNotAllowed(request, methodsOf(match));
    const { segments } = match;
    const routed = Object.assign(request, { route, segments, query: parseQuery(search) });
    return { kind: 'operation', request: routed };
  };
}

/** A path with an empty part is often made by a program whose variable is empty. */
const notFound = (path: string): Problem =>
  new Problem(
    NotFound,
    path.includes('//')
      ? 'There is nothing at this path: a part of it is empty, between two slashes.'
      : 'There is nothing at this path.',
  );

const ASSET_METHODS = ['GET', 'HEAD', 'OPTIONS'];

function methodsOf({ routes }: Match): string[] {
  return [...routes.keys(), ...(routes.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

/** The answer to OPTIONS; null for a method of the path. Throws 405 for any other method. */
function optionsOf(request: GatewayRequest, methods: readonly string[]): Target | null {
  const { http, response } = request;
  if (!methods.includes(http.method ?? '')) throw methodNotAllowed(request, methods);
  if (http.method !== 'OPTIONS') return null;
  const allow = methods.join(', ');
  const headers = { Allow: allow, ...preflightHeaders(http, response, allow) };
  return { kind: 'options', reply: { status: 204, headers, body: null } };
}

function methodNotAllowed({ http, response }: GatewayRequest, methods: readonly string[]): Problem {
  const allow = methods.join(', ');
  response.setHeader('Allow', allow);
  return new Problem(MethodNotAllowed, `${http.method} is not possible here; ${allow} are.`);
}

/** Whether the path exists for requests of this machine only, and the request is not one of these. */
const isHidden = ({ routes }: Match, { http }: GatewayRequest): boolean =>
  [...routes.values()].some(({ contract }) => contract.developmentOnly) && !isLocalRequest(http);
