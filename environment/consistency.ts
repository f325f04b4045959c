import { hasCredentials } from '@workspace-automation/moleculer-nats/address';
import { SERVICE_NAMES } from './process.ts';
import { isLoopbackHost } from './values/loopback.ts';
import type { Environment } from './variables.ts';

/** Throws an Error with a message of one line for variables that contradict each other. */
export function assertConsistent(env: Environment): void {
  if (env.NODE_ENV === 'production') assertProduction(env);
  else assertDevelopment(env);
  if (env.SMTP_URL && !env.MAIL_FROM) {
    throw new Error('MAIL_FROM: unset, but required with SMTP_URL.');
  }
  if (!env.IDP_ISSUER !== !env.IDP_REGISTRATION_URL) {
    throw new Error('IDP_ISSUER: must be set where IDP_REGISTRATION_URL is, and only there.');
  }
  if (!env.AGENT_BASE_URL !== !env.AGENT_MODEL) {
    throw new Error('AGENT_MODEL: must be set where AGENT_BASE_URL is, and only there.');
  }
  if (env.AGENT_API_KEY && !env.AGENT_BASE_URL) {
    throw new Error('AGENT_BASE_URL: unset, but required with AGENT_API_KEY.');
  }
  if (!env.NATS_URL && env.SERVICES.length < SERVICE_NAMES.length) {
    throw new Error('NATS_URL: unset, but required when SERVICES leaves a service out.');
  }
}

function assertProduction(env: Environment): void {
  const { MONGODB_URI, JWT_PRIVATE_KEYS, NATS_URL, SERVICES } = env;
  if (!MONGODB_URI) throw new Error('MONGODB_URI: unset, but required when NODE_ENV=production.');
  if (!JWT_PRIVATE_KEYS && SERVICES.includes('identity')) {
    throw new Error(
      'JWT_PRIVATE_KEYS: unset, but required of the service identity when NODE_ENV=production.',
    );
  }
  if (!env.CREDENTIALS_MASTER_KEYS && SERVICES.includes('connections')) {
    throw new Error(
      'CREDENTIALS_MASTER_KEYS: unset, but required of the service connections when NODE_ENV=production.',
    );
  }
  if (SERVICES.includes('identity')) assertMails(env);
  if (NATS_URL && !hasCredentials(NATS_URL)) {
    throw new Error(
      'NATS_URL: has no user:password@ or token@, but they are required when NODE_ENV=production: whoever connects may call everything.',
    );
  }
}

/** Production sends its mails: it has no outbox to read them in. */
function assertMails(env: Environment): void {
  for (const name of ['SMTP_URL', 'MAIL_FROM'] as const) {
    if (env[name]) continue;
    throw new Error(
      `${name}: unset, but required of the service identity when NODE_ENV=production.`,
    );
  }
}

function assertDevelopment({ HOST, DEVELOPMENT_ON_NETWORK }: Environment): void {
  if (isLoopbackHost(HOST) || DEVELOPMENT_ON_NETWORK === '1') return;
  throw new Error(
    `HOST: ${JSON.stringify(HOST)} is not a loopback address; in development set DEVELOPMENT_ON_NETWORK=1 to listen on it.`,
  );
}
