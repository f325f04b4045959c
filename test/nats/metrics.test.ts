import { request } from '../helpers/http.ts';
import { TestNats } from '../helpers/nats.ts';
import { startProcess } from '../helpers/process.ts';
import { stopServers } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

afterAll(stopServers);

test('the figures say when NATS is not there yet, is there, and is away', async () => {
  const nats = await TestNats.notYet();
  const part = startProcess({
    SERVICES: 'issues',
    MONGODB_URI: 'mongodb://127.0.0.1:9/nobody', // not needed for it
    NATS_URL: nats.url,
    METRICS_PORT: '0',
  });
  const { origin } = await waitFor('the address of the figures', () => {
    const [, url] = /"url":"(\S+?)"/.exec(part.output()) ?? [];
    return url ? new URL(url) : null;
  });
  const told = (value: number) =>
    waitFor(`nats_connected ${value}`, async () => {
      const { text } = await request(origin, 'GET', '/metrics');
      return new RegExp(`^nats_connected ${value}$`, 'm').test(text);
    });
  await told(0);
  await nats.start();
  await told(1);
  await nats.kill();
  await told(0);
});
