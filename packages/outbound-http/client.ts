import { Agent, Pool } from 'undici';
import { AllowList } from './allow-list.ts';
import { createCancellableClient } from './connection-attempt.ts';
import { runWithDeadline } from './deadline.ts';
import { createConnector } from './interim-answers.ts';
import { createCheckedLookup, type Resolve, systemResolve } from './lookup.ts';
import { OpenConnections } from './open-connections.ts';
import type { OutboundRequest, OutboundResponse } from './request.ts';
import { firstHop, sendHops } from './send.ts';

export interface OutboundOptions {
  /** Targets that may be called although they are not public, as a list or as its entries. */
  allow: AllowList | readonly string[];
  userAgent?: string;
  /** Resolves names to addresses. The default is the system's resolver. */
  resolve?: Resolve;
}

export interface OutboundClient {
  /** Sends a request. Every failure is an `OutboundError`; a status that is not 2xx is an answer. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Closes all connections, those in use included. */
  close(): Promise<void>;
}

/** The client for addresses that users chose. Proxies of the environment are not used. */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { userAgent = 'workspace-automation', resolve = systemResolve } = options;
  const { allow } = options;
  const allowed = allow instanceof AllowList ? allow : new AllowList(allow);
  const connections = new OpenConnections();
  const agent = new Agent({
    allowH2: false, // an aborted request must close its connection
    headersTimeout: 0, // the request's own deadline counts
    bodyTimeout: 0,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 32 * 1024,
    factory: (origin, pool) => {
      const connector = createConnector({
        lookup: createCheckedLookup(new URL(origin), allowed, resolve),
        timeout: 10_000,
        allowH2: false,
      });
      const connect = connections.count(connector);
      const factory = (_origin: URL, options: object) =>
        createCancellableClient(origin, options, connect);
      return new Pool(origin, { ...(pool as Pool.Options), factory });
    },
  });
  return {
    async send(request) {
      const first = firstHop(request, userAgent);
      return runWithDeadline(request.timeoutMs, request.signal, (deadline) =>
        sendHops({ agent, allowed, connections }, first, request, deadline),
      );
    },
    close: () => agent.destroy(),
  };
}
