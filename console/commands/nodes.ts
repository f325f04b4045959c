import { uptime } from 'node:process';
import { contracts } from '../../services/contracts.ts';
import type { Console } from '../console.ts';
import { duration, table } from '../table.ts';
import type { Command } from './command.ts';

/** Characters of the list of a node's services, so that a node with all but one shows them. */
const MAX_SERVICES_WIDTH = 160;

/** A process of the system, as the registry of the console knows it. */
export interface NodeState {
  id: string;
  available: boolean;
  hostname: string | null;
  services: readonly { name?: unknown }[];
  metadata: { version?: string; commit?: string | null; startedAt?: string } | null;
  /** Seconds of this process's uptime at which the last heartbeat came. */
  lastHeartbeatTime: number;
}

/** `nodes`: shows the processes of the system and what each runs. */
export const nodes: Command = {
  command: 'nodes',
  description: 'Show the processes: host, pid, services, version, uptime, last heartbeat',
  async print(operator) {
    return showNodes(nodesOf(operator), Date.now(), uptime());
  },
};

/** The other nodes of the registry; this console has no services. */
function nodesOf({ broker }: Console): NodeState[] {
  const found: NodeState[] = broker.registry.getNodeList({ withServices: true });
  return found.filter(({ id }) => id !== broker.nodeID);
}

/**
 * Formats the nodes. `now` is in milliseconds since the epoch, `uptimeS` is the uptime of this process in seconds. Pure,
 * for tests.
 */
export function showNodes(found: readonly NodeState[], now: number, uptimeS: number): string {
  const rows = found
    .toSorted((a, b) => a.id.localeCompare(b.id))
    .map((node) => [
      node.hostname,
      /-(\d+)$/.exec(node.id)?.[1],
      node.available ? 'up' : 'GONE',
      node.metadata?.version,
      node.metadata?.commit?.slice(0, 8),
      node.metadata?.startedAt && duration(now - Date.parse(node.metadata.startedAt)),
      `${Math.max(0, Math.round(uptimeS - node.lastHeartbeatTime))} s ago`,
      servicesOf(node),
    ]);
  const headings = ['host', 'pid', 'state', 'version', 'commit', 'up for', 'heartbeat', 'services'];
  return rows.length ? table(headings, rows, MAX_SERVICES_WIDTH) : 'no other processes';
}

function servicesOf({ services }: NodeState): string {
  const known: readonly string[] = contracts.map(({ name }) => name);
  const names = services.map(({ name }) => String(name)).filter((name) => !name.startsWith('$'));
  if (!names.length) return 'none (a console)';
  const missing = known.filter((name) => !names.includes(name));
  if (!missing.length) return 'all';
  return names.toSorted((a, b) => known.indexOf(a) - known.indexOf(b)).join(', ');
}
