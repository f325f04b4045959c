import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface FloodRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
}

interface Bounded {
  /** After so many seconds the flood ends by itself; 120 at most. */
  seconds: number;
  /** Where it comes from, such as 127.0.0.2, so that it is not the address of who measures. */
  localAddress?: string;
}

/** Requests from the list in turn, by so many clients (500 at most) that each wait for their answer. */
export interface RequestFlood extends Bounded {
  kind: 'requests';
  clients: number;
  requests: readonly FloodRequest[];
  /** Of all requests together; 100,000 at most, and that unless given. */
  count?: number;
}

/** Connections (3,000 at most) that send a text, then perhaps another again and again, and stay. */
export interface ConnectionFlood extends Bounded {
  kind: 'connections';
  connections: number;
  text: string;
  drip?: { text: string; everyMs: number };
}

export type FloodSpec = RequestFlood | ConnectionFlood;

export interface FloodReport {
  /** How many answers had which status; 0 for those that broke. */
  statuses: Record<string, number>;
  /** Connections that are open now, of a flood of connections. */
  open: number;
}

export interface Flood {
  report(): Promise<FloodReport>;
}

/**
 * Floods that server while `measure` works. The clients have a process of their own;
 * every client has begun when `measure` is called.
 */
export async function duringFlood<T>(
  url: string,
  spec: FloodSpec,
  measure: (flood: Flood) => Promise<T>,
): Promise<T> {
  const child = fork(join(import.meta.dirname, 'flooder.ts'), { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const answer = async (): Promise<FloodReport> => {
    const [report] = await Promise.race([once(child, 'message'), exited.then(endedEarly)]);
    return report;
  };
  try {
    child.send({ url, spec });
    await answer();
    return await measure({
      report() {
        child.send('report');
        return answer();
      },
    });
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

function endedEarly(): never {
  throw new Error('the flood ended before it was measured');
}
