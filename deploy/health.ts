/**
 * Whether the service process of this container can do its work now, for Docker and `roll.sh`: exit code
 * 0 or 1. The gateway is asked by HTTP whether it is ready, any other process over NATS, as its callers do.
 */
import { hostname } from 'node:os';
import { connect } from 'nats';
import { environment } from '../environment/environment.ts';
import { connectionOf } from '../mixins/nats/address.ts';
import { TOPIC_PREFIX, upTopicOfHost } from '../mixins/nats/topics.ts';

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

/** Nobody answers before the process takes calls, or once it has lost NATS or its database. */
async function askNode(): Promise<void> {
  if (!environment.NATS_URL) throw new Error('NATS_URL: unset, so that there is nobody to ask');
  const options = connectionOf(environment.NATS_URL);
  const connection = await connect({ ...options, timeout: WITHIN_MS });
  try {
    const topic = upTopicOfHost(TOPIC_PREFIX, options.user, hostname());
    await connection.request(topic, undefined, { timeout: WITHIN_MS });
  } catch (error) {
    throw new Error(`no process of ${hostname()} takes calls: ${(error as Error).message}`);
  } finally {
    await connection.close();
  }
}
