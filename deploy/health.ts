/**
 * Whether the service process of this container works, for Docker: exit code 0 or 1. The gateway is asked
 * by HTTP, any other process over NATS, so that one whose connection is gone counts as ill.
 */
import { hostname } from 'node:os';
import { connect } from 'nats';
import { environment } from '../environment.ts';
import { connectionOf } from '../mixins/nats/address.ts';
import { brokerOptions } from '../moleculer.config.ts';

const WITHIN_MS = 3_000;
/** Of the packets between Moleculer's nodes. */
const PROTOCOL = '5';

try {
  await (environment.SERVICES.includes('api') ? askGateway() : askNode());
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function askGateway(): Promise<void> {
  const { HOST, PORT } = environment;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}/health/live`;
  const { status } = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
  if (status !== 200) throw new Error(`${url} answers ${status}`);
}

/** Pings every node, as nodes do, and waits for the answer of the one on this host. */
async function askNode(): Promise<void> {
  if (!environment.NATS_URL) throw new Error('NATS_URL: unset, so that there is nobody to ask');
  const connection = await connect({
    ...connectionOf(environment.NATS_URL),
    timeout: WITHIN_MS,
  });
  try {
    const sender = `health-${hostname()}-${process.pid}`;
    const prefix = `MOL-${brokerOptions.namespace}`;
    const answers = connection.subscribe(`${prefix}.PONG.${sender}`);
    setTimeout(() => answers.unsubscribe(), WITHIN_MS).unref(); // others may have answered meanwhile
    const ping = { ver: PROTOCOL, sender, id: sender, time: Date.now() };
    connection.publish(`${prefix}.PING`, JSON.stringify(ping));
    for await (const answer of answers) {
      if (answer.json<{ sender: string }>().sender.startsWith(`${hostname()}-`)) return;
    }
    throw new Error(`no process of ${hostname()} answers`);
  } finally {
    await connection.close();
  }
}
