/**
 * The health check of a container for Docker and `roll.sh`: exit code 0 when the service process can do its work, else 1.
 * The check asks the gateway by HTTP, and any other process over NATS, like the callers of the process.
 */
import { hostname } from 'node:os';
import { connectionOf, requestOnce } from '@workspace-automation/moleculer-nats';
import { upSubjectOfHost } from '@workspace-automation/moleculer-nats/subjects';
import { environment } from '../environment/environment.ts';
import { SUBJECT_PREFIX } from '../environment/namespace.ts';

const WITHIN_MS = 3_000;

try {
  await (environment.SERVICES.includes('api') ? askGateway() : askNode());
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function askGateway(): Promise<void> {
  const { HOST, PORT } = environment;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}/health/ready`;
  const { status } = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
  if (status !== 200) throw new Error(`${url} answers ${status}`);
}

/** Asks the process over NATS. There is no answer before it takes calls, or when it has lost NATS or its database. */
async function askNode(): Promise<void> {
  if (!environment.NATS_URL) throw new Error('NATS_URL: unset, so that there is nobody to ask');
  const options = connectionOf(environment.NATS_URL, environment.NATS_CA);
  const subject = upSubjectOfHost(SUBJECT_PREFIX, options.user, hostname());
  try {
    await requestOnce(options, subject, WITHIN_MS);
  } catch (error) {
    throw new Error(`no process of ${hostname()} takes calls: ${(error as Error).message}`);
  }
}
