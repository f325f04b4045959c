import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that adds a token to each request, for a tool that cannot send one. */
export async function startTokenProxy(
  target: string,
  token: string,
): Promise<{ url: string; close: () => void }> {
  const { hostname, port } = new URL(target);
  const server = http.createServer((incoming, response) => {
    const { method, url: path, headers } = incoming;
    const options = { hostname, port, method, path };
    const request = http.request(
      { ...options, headers: { ...headers, authorization: `Bearer ${token}` } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    request.on('error', () => response.destroy());
    incoming.pipe(request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
