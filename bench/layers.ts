import type { Profiler } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('..', import.meta.url).href;
/** Packages whose time counts for the package that uses them. */
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
/** Folders of this repository that are a layer each; the pattern tries an inner folder before its parent. */
const FOLDERS =
  /^(mixins\/(?:gateway|nats)|services\/(?:runs\/worker|[a-z]+)|packages\/[a-z-]+|[a-z]+)\//;

/** Returns the time that the process spent in each layer, in µs. A layer includes what Node.js does for it. */
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

/** A function of Node.js belongs to the layer that has called the function. */
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

/** Node.js's HTTP code is a layer of its own where no other layer has called it. */
const layerOfNode = (url: string, outer: string): string =>
  url.startsWith('node:_http') ? 'Node.js: HTTP' : outer;
