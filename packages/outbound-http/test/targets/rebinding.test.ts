import type { LookupAddress } from 'node:dns';
import { createOutboundClient, type OutboundClient } from '../../index.ts';
import { setTraps, type Traps } from './traps.ts';

let traps: Traps;
let client: OutboundClient;
/** The answers of the resolver, one for each time that it is asked. */
const answers: string[][] = [];

// 127.0.0.2 stands for a public address: it is the only one that may be called.
const PUBLIC = '127.0.0.2';
const asAddress = (address: string): LookupAddress => ({
  address,
  family: address.includes(':') ? 6 : 4,
});
const urlOf = (): string => `http://name.example:${traps.ports.at(-1)}/`;
const get = () => ({ method: 'GET', url: urlOf(), timeoutMs: 5_000 });

beforeAll(async () => {
  traps = await setTraps();
});
beforeEach(() => {
  traps.attempts.length = 0;
  traps.connections = 0;
  client = createOutboundClient({
    allow: [`${PUBLIC}/32`],
    resolve: async () => (answers.shift() ?? ['127.0.0.1']).map(asAddress),
  });
});
afterEach(() => client.close());
afterAll(() => traps.close());

test('a name that becomes private after its check is connected to the address that was checked', async () => {
  answers.splice(0, Infinity, [PUBLIC], ['127.0.0.1'], ['169.254.169.254']);
  expect((await client.send(get())).status).toBe(200);
  expect(traps.attempts).toEqual([`${PUBLIC} ${traps.ports.at(-1)}`]);
  expect(answers).toHaveLength(2);
});

test.each([
  ['the first', ['127.0.0.1', PUBLIC]],
  ['the last', [PUBLIC, PUBLIC, PUBLIC, '10.0.0.1']],
  ['one of the other family', [PUBLIC, '::1']],
  ['one that carries another', [PUBLIC, '::ffff:127.0.0.2']],
  ['one of a zone', [PUBLIC, 'fe80::1%eth0']],
  ['one in another spelling', [PUBLIC, '0177.0.0.1']],
  ['one that is no address', [PUBLIC, 'localhost']],
])('a name is refused for one refused address among others: %s', async (_which, addresses) => {
  answers.splice(0, Infinity, addresses);
  await expect(client.send(get())).rejects.toMatchObject({ kind: 'TARGET_REFUSED' });
  expect(traps).toMatchObject({ attempts: [], connections: 0 });
});

test('each redirection to a name is resolved and checked anew', async () => {
  answers.splice(0, Infinity, [PUBLIC], ['127.0.0.1']);
  const { port } = new URL(urlOf());
  traps.answer = (_req, res) =>
    res.writeHead(302, { location: `http://other.example:${port}/` }).end();
  await expect(client.send(get())).rejects.toMatchObject({ kind: 'TARGET_REFUSED' });
  expect(traps.attempts).toEqual([`${PUBLIC} ${port}`]);
});
