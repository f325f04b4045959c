import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../helpers/free-port.ts';
import { request } from '../../helpers/http.ts';
import { register } from '../../helpers/people.ts';
import { dataFolder, startServer, stopServers } from '../../helpers/server.ts';

afterAll(stopServers);

/** Asks without a pause, also before the port is open. */
async function untilReady(url: string): Promise<void> {
  const isReady = async () =>
    (await request(url, 'GET', '/health/ready').catch(() => null))?.status === 200;
  while (!(await isReady())) await sleep(5);
}

/** Five processes a start take their time. */
const STARTS = process.env.TEST_NATS === '1' ? [1] : [1, 2, 3];

describe('the first request after `GET /health/ready` is 200', () => {
  it.each(STARTS)('is answered: fresh start %i', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const options = { dataDir: dataFolder(), env: { PORT: String(port) } };
    const starting = startServer(options);
    await untilReady(url);
    const person = await register(url); // throws unless 201
    const server = await starting;
    await server.stop();

    const again = startServer(options);
    await untilReady(url);
    expect((await person.call('GET', '/workspaces')).status).toBe(200);
    await (await again).stop();
  });
});
