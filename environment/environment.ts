import { isLoopbackHost } from './consistency.ts';
import { type Environment, readEnvironment } from './variables.ts';

/** The environment of this process. A value that is not possible ends the process with one line. */
export const environment: Environment = readOwnEnvironment();

function readOwnEnvironment(): Environment {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** In development the service makes its own keys, database and outbox; production refuses all three. */
export const isDevelopment = environment.NODE_ENV !== 'production';

/** Development on a host that other machines cannot reach: only there the outbox can be read. */
export const isLocalDevelopment = isDevelopment && isLoopbackHost(environment.HOST);

/** Milliseconds for which a stopping gateway says that it is not ready before it refuses connections. */
export const stopNoticeMs = environment.STOP_NOTICE_MS ?? (isDevelopment ? 500 : 3_000);

/**
 * The service's own address, for links and as issuer and audience of tokens. Every process must have the same:
 * with `PORT=0` it names no port.
 */
export const publicUrl: string = environment.PUBLIC_URL?.replace(/\/+$/, '') ?? defaultUrl();

function defaultUrl(): string {
  const { HOST, PORT } = environment;
  const host = HOST.includes(':') ? `[${HOST}]` : HOST;
  return PORT === 0 ? `http://${host}` : `http://${host}:${PORT}`;
}
