import { isLoopbackHost } from './values/loopback.ts';
import { type Environment, misspeltNames, readEnvironment } from './variables.ts';

/** The environment of this process. Bad values end the process, with one line on stderr for each. */
export const environment: Environment = readOwnEnvironment();

function readOwnEnvironment(): Environment {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** Variables of this process that have no effect, and are probably misspelt. */
export const misspelt = misspeltNames(process.env);

/** Whether the service may make its own keys, use the embedded database and show the outbox. Production refuses. */
export const isDevelopment = environment.NODE_ENV !== 'production';

/** Whether the process is in development and listens on a loopback address. The outbox can be read only then. */
export const isLocalDevelopment = isDevelopment && isLoopbackHost(environment.HOST);

/** Milliseconds for which a stopping gateway answers "not ready" before the gateway refuses connections. */
export const stopNoticeMs = environment.STOP_NOTICE_MS ?? (isDevelopment ? 500 : 3_000);

/**
 * The address of the service, for links and as issuer and audience of tokens. All processes must have the same
 * address, so the address has no port with `PORT=0`.
 */
export const publicUrl: string = environment.PUBLIC_URL?.replace(/\/+$/, '') ?? defaultUrl();

function defaultUrl(): string {
  const { HOST, PORT } = environment;
  const host = HOST.includes(':') ? `[${HOST}]` : HOST;
  return PORT === 0 ? `http://${host}` : `http://${host}:${PORT}`;
}
