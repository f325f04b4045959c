import type { ServerResponse } from 'node:http';
import { MethodNotAllowed, NotFound, Problem } from '../../../contract/problem.ts';
import { type GatewayRequest, splitUrl } from '../gateway-request.ts';
import { setPreflightHeaders } from '../headers/cors.ts';
import { assertOneHost } from '../headers/single-headers.ts';
import type { Asset } from '../routing/assets.ts';
import { isLocalRequest } from '../routing/local-request.ts';
import { parseQuery } from '../routing/query.ts';
import { type Match, type Route, Router } from '../routing/router.ts';

const nothingHere = () => new Problem(NotFound, 'There is nothing at this path.');

/** Says what a request is for, whatever its method: an operation, a file, or nothing at all. */
export class Routing {
  readonly #router: Router;
  readonly #assets: Readonly<Record<string, Asset>>;

  constructor(routes: readonly Route[], assets: Readonly<Record<string, Asset>>) {
    this.#router = new Router(routes);
    this.#assets = assets;
  }

  /** The operation of a path and method, as moleculer-web asks for it. */
  routeOf(path: string, method: string): Route | undefined {
    return this.#router.match(path)?.routes.get(method === 'HEAD' ? 'GET' : method);
  }

  /** What answers the request; null when it has been answered (OPTIONS). Throws 400, 404 or 405. */
  find(req: GatewayRequest, res: ServerResponse): Route | Asset | null {
    assertOneHost(req);
    const [path, search] = splitUrl(takeTarget(req));
    if (Object.hasOwn(this.#assets, path))
      return this.#take(req, res, ASSET_METHODS, this.#assets[path]);
    const match = this.#router.match(path);
    if (!match || isHidden(match, req)) throw nothingHere();
    req.routePath = [...match.routes.values()][0]?.path;
    const route = match.routes.get(req.method === 'HEAD' ? 'GET' : (req.method ?? ''));
    const found = this.#take(req, res, methodsOf(match), route);
    if (found) req.match = { route: found, segments: match.segments, query: parseQuery(search) };
    return found;
  }

  #take<T>(
    req: GatewayRequest,
    res: ServerResponse,
    methods: string[],
    found: T | undefined,
  ): T | null {
    const allow = methods.join(', ');
    if (req.method === 'OPTIONS') {
      setPreflightHeaders(req, res, allow);
      res.writeHead(204, { Allow: allow }).end();
      return null;
    }
    if (found !== undefined && methods.includes(req.method ?? '')) return found;
    res.setHeader('Allow', allow);
    throw new Problem(MethodNotAllowed, `${req.method} is not possible here; ${allow} are.`);
  }
}

const ASSET_METHODS = ['GET', 'HEAD', 'OPTIONS'];

function methodsOf({ routes }: Match): string[] {
  return [...routes.keys(), ...(routes.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

/** A path for whoever is at this machine does not exist for others. */
const isHidden = ({ routes }: Match, req: GatewayRequest): boolean =>
  [...routes.values()].some(({ contract }) => contract.developmentOnly) && !isLocalRequest(req);

/**
 * The target, made a path. A server has to take the absolute form as well, and then its authority is
 * the host, whatever the header says (RFC 9112, section 3.2.2).
 */
function takeTarget(req: GatewayRequest): string {
  const target = req.url ?? '';
  if (target.startsWith('/')) return target;
  const [, host, path] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(target) ?? [];
  if (host === undefined || path === undefined) throw nothingHere(); // `*`
  req.headers.host = host;
  req.url = path.startsWith('/') ? path : `/${path}`;
  return req.url;
}
