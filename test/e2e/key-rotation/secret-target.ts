import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The secret of a planted credential. */
export const secretOf = (id: number): string => `secret-of-credential-${id}`;

export interface SecretTarget {
  host: string;
  origin: string;
  close(): void;
}

/** Starts a server that answers `/<id of a credential>` with 200 where the request has that credential's secret, else 401. */
export async function startSecretTarget(): Promise<SecretTarget> {
  const server = createServer((request, response) => {
    const id = Number(request.url?.slice(1));
    const isRight = request.headers.authorization === `Bearer ${secretOf(id)}`;
    response.writeHead(isRight ? 200 : 401).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, origin: `http://${host}`, close: () => server.close() };
}
