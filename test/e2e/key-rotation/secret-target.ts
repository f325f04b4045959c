import { LocalServer } from '../../helpers/local-server.ts';

/** The secret of a planted credential. */
export const secretOf = (id: number): string => `secret-of-credential-${id}`;

/** Makes a server that answers `/<id of a credential>` with 200 where the request has that credential's secret, else 401. */
export const secretTarget = (): LocalServer =>
  new LocalServer((request, response) => {
    const id = Number(request.url?.slice(1));
    const isRight = request.headers.authorization === `Bearer ${secretOf(id)}`;
    response.writeHead(isRight ? 200 : 401).end();
  });
