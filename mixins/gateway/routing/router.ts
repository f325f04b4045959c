import type { ActionContract, Method } from '../../../contract/contract.ts';

/** One routed action. */
export interface Route {
  action: string;
  contract: ActionContract;
  method: Method;
  /** The path as the contract writes it, parameters as `:name`. */
  path: string;
  /** The path of the GET that shows the created resource; null for an operation without one. */
  location: string | null;
}

interface Node {
  literals: Map<string, Node>;
  parameter?: Node;
  routes: Map<string, Route>;
}

export interface Match {
  /** The routes of the path by method, without HEAD. */
  routes: ReadonlyMap<string, Route>;
  /** The segments of the path in order, still percent-encoded. */
  segments: readonly string[];
}

const newNode = (): Node => ({ literals: new Map(), routes: new Map() });

/**
 * Finds the routes of a path for all methods. A path matches exactly: case counts, a trailing slash does not
 * match, and a literal segment goes before a parameter.
 */
export class Router {
  readonly #root = newNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  #add(route: Route): void {
    let node = this.#root;
    for (const segment of segmentsOf(route.path)) {
      if (segment.startsWith(':')) {
        node.parameter ??= newNode();
        node = node.parameter;
      } else {
        const next = node.literals.get(segment) ?? newNode();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`${route.method} ${route.path} twice`);
    node.routes.set(route.method, route);
  }

  match(path: string): Match | null {
    const segments = segmentsOf(path);
    const node = find(this.#root, segments, 0);
    return node && { routes: node.routes, segments };
  }
}

const segmentsOf = (path: string): string[] => path.slice(1).split('/');

function find(node: Node, segments: readonly string[], at: number): Node | null {
  const segment = segments[at];
  if (segment === undefined) return node.routes.size > 0 ? node : null;
  const literal = node.literals.get(segment);
  const found = literal && find(literal, segments, at + 1);
  if (found) return found;
  return node.parameter && segment !== '' ? find(node.parameter, segments, at + 1) : null;
}

/** The values of a path's parameters, still percent-encoded, by name. */
export function parametersOf(route: Route, segments: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  segmentsOf(route.path).forEach((segment, at) => {
    if (segment.startsWith(':')) values[segment.slice(1)] = segments[at] ?? '';
  });
  return values;
}
