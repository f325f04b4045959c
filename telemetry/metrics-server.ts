import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

/** Serves `GET /metrics` on a port of its own. Rejects when it cannot listen on the port. */
export async function serveMetrics(
  registry: Registry,
  at: { host: string; port: number },
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (req, res) => {
    if (req.url !== '/metrics' || (req.method !== 'GET' && req.method !== 'HEAD')) {
      res.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      res.writeHead(200, { 'Content-Type': registry.contentType });
      res.end(req.method === 'HEAD' ? undefined : text);
    } catch {
      res.writeHead(500).end(); // one metric that fails makes the scrape fail
    }
  });
  server.listen(at.port, at.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = at.host.includes(':') ? `[${at.host}]` : at.host;
  return {
    url: `http://${host}:${port}/metrics`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
