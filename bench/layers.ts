import type { Profiler } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('..', import.meta.url).href;
/** Packages that belong to another one's work. */
const PART_OF: Readonly<Record<string, string>> = {
  kareem: 'mongoose',
  mpath: 'mongoose',
  mquery: 'mongoose',
  sift: 'mongoose',
  jws: 'jsonwebtoken',
  jwa: 'jsonwebtoken',
  'sonic-boom': 'pino',
};
const SOCKET_WRITES = /^(writev|writeBuffer|writeUtf8String|writeLatin1String|writeAsciiString)$/;
/** Our folders that are a layer each, the inner before the outer. */
const FOLDERS =
  /^(mixins\/(?:gateway|nats)|services\/(?:runs\/worker|[a-z]+)|packages\/[a-z-]+|[a-z]+)\//;

/** Time that the process spent in each layer, in µs: the function's own, what Node.js does for it included. */
export function timeByLayer(profile: Profiler.Profile): Map<string, number> {
  const layerOf = layersOf(profile.nodes);
  const times = new Map<string, number>();
  for (const [n, id] of (profile.samples ?? []).entries()) {
    const layer = layerOf.get(id) ?? 'unknown';
    times.set(layer, (times.get(layer) ?? 0) + (profile.timeDeltas?.[n] ?? 0));
  }
  return times;
}

function layersOf(nodes: readonly Profiler.ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const layers = new Map<number, string>();
  const visit = (node: Profiler.ProfileNode, outer: string) => {
    const layer = layerOfFrame(node.callFrame, outer);
    const isWrite = SOCKET_WRITES.test(node.callFrame.functionName);
    layers.set(node.id, isWrite ? `${layer}: socket write` : layer);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) visit(child, layer);
    }
  };
  if (nodes[0]) visit(nodes[0], 'Node.js');
  return layers;
}

/** Node.js's own functions belong to the layer that has called them. */
function layerOfFrame(
  { functionName, url }: Profiler.ProfileNode['callFrame'],
  outer: string,
): string {
  if (/^\((garbage collector|program|idle)\)$/.test(functionName)) return functionName;
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  if (name) return PART_OF[name] ?? name;
  if (!url.startsWith(ROOT)) return outer === 'Node.js' ? layerOfNode(url, outer) : outer;
  const path = relative(fileURLToPath(ROOT), fileURLToPath(url));
  return `our ${FOLDERS.exec(path)?.[1] ?? path}`;
}

/** Of what Node.js does for nobody in particular, HTTP is a layer of its own. */
const layerOfNode = (url: string, outer: string): string =>
  url.startsWith('node:_http') ? 'Node.js: HTTP' : outer;
