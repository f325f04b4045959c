import { hasCredentials } from '@workspace-automation/moleculer-nats/address';
import { SERVICE_NAMES } from './process.ts';
import type { Environment } from './variables.ts';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

/** Whether other machines cannot reach the host. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.has(host);

/** Throws an Error with a message of one line for variables that contradict each other. */
export function assertConsistent(env: Environment): void {
  if (env.NODE_ENV === 'production') assertProduction(env);
  else assertDevelopment(env);
  if (!env.NATS_URL && env.SERVICES.length < SERVICE_NAMES.length) {
    throw new Error('NATS_URL: unset, but required when SERVICES leaves a service out.');
  }
}

function assertProduction({ MONGODB_URI, JWT_PRIVATE_KEYS, NATS_URL, SERVICES }: Environment) {
  if (!MONGODB_URI) throw new Error('MONGODB_URI: unset, but required when NODE_ENV=production.');
  if (!JWT_PRIVATE_KEYS && SERVICES.includes('identity')) {
    throw new Error(
      'JWT_PRIVATE_KEYS: unset, but required of the service identity when NODE_ENV=production.',
    );
  }
  if (NATS_URL && !hasCredentials(NATS_URL)) {
    throw new Error(
      'NATS_URL: has no user:password@ or token@, but they are required when NODE_ENV=production: whoever connects may call everything.',
    );
  }
}

function assertDevelopment({ HOST, DEVELOPMENT_ON_NETWORK }: Environment): void {
  if (isLoopbackHost(HOST) || DEVELOPMENT_ON_NETWORK === '1') return;
  throw new Error(
    `HOST: ${JSON.stringify(HOST)} is not a loopback address; in development set DEVELOPMENT_ON_NETWORK=1 to listen on it.`,
  );
}
