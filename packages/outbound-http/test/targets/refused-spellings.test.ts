import type { LookupAddress } from 'node:dns';
import { AllowList, createOutboundClient, type OutboundClient } from '../../index.ts';
import { closeAll, listen } from '../servers.ts';
import {
  embeddingsOf,
  LOCAL_NAMES,
  NO_TARGETS,
  ODD_URLS,
  REFUSED_IPV4,
  REFUSED_IPV6,
  spellingsOf,
} from './spellings.ts';
import { setTraps, type Traps } from './traps.ts';

const LOOPBACK = [127, 0, 0, 1] as const;
const OTHERS = [
  [169, 254, 169, 254],
  [10, 0, 0, 1],
  [172, 16, 0, 1],
  [192, 168, 1, 1],
  [100, 100, 100, 200],
  [224, 0, 0, 251],
] as const;
const urlOf = (host: string): string => `http://${host}:PORT/`;

/** URLs of this machine, in spellings that a client without a check connects with. */
const LOCAL = [...spellingsOf(LOOPBACK), '[::ffff:127.0.0.1]', '[::1]', '0', '0.0.0.0', '[::]']
  .map(urlOf)
  .concat(ODD_URLS);
const ADDRESSES = [
  ...LOCAL,
  ...embeddingsOf(LOOPBACK).map(urlOf),
  ...OTHERS.flatMap((octets) => [...spellingsOf(octets), ...embeddingsOf(octets)]).map(urlOf),
  ...[...REFUSED_IPV4, ...REFUSED_IPV6].map(urlOf),
  'https://127.0.0.1:PORT/',
  'https://[::1]:PORT/',
];
const REFUSED = [...new Set([...ADDRESSES, ...NO_TARGETS])];
const NAMES = LOCAL_NAMES.map(([host]) => urlOf(host));

const get = (url: string) => ({ method: 'GET', url, timeoutMs: 5_000 });
const v4 = (address: string): LookupAddress => ({ address, family: 4 });

/** Tells whether a `Location` header can carry the text, and the text is not relative to the server that sends it. */
const isAbsolute = (text: string): boolean =>
  /^[\x20-\x7e]+$/.test(text) && URL.parse(text, 'http://base.example')?.host !== 'base.example';

let traps: Traps;
let client: OutboundClient;
/** The names that the resolver was asked for. */
const resolved: string[] = [];
const withPort = (url: string, index = 0): string =>
  url.replace('PORT', String(traps.ports[index % traps.ports.length]));

beforeAll(async () => {
  traps = await setTraps();
});
beforeEach(() => {
  traps.attempts.length = 0;
  traps.connections = 0;
  resolved.length = 0;
  client = createOutboundClient({
    allow: [],
    resolve: async (host) => {
      resolved.push(host);
      return [v4('127.0.0.1')];
    },
  });
});
afterEach(async () => {
  await client.close();
  await closeAll();
});
afterAll(() => traps.close());

test('there are more than 300 spellings, no two the same', () => {
  expect(REFUSED.length + NAMES.length).toBeGreaterThan(400);
  expect(new Set(NAMES).size).toBe(NAMES.length);
});

test.each(REFUSED)('%j is refused, and nothing is resolved', async (url) => {
  for (const index of traps.ports.keys()) {
    await expect(client.send(get(withPort(url, index)))).rejects.toMatchObject({
      kind: 'TARGET_REFUSED',
      message: expect.not.stringContaining('secret'),
    });
  }
  expect({ ...traps, resolved }).toMatchObject({ attempts: [], connections: 0, resolved: [] });
});

test.each(LOCAL_NAMES)('%j is refused after the resolver was asked for %s', async (host, name) => {
  await expect(client.send(get(withPort(urlOf(host))))).rejects.toMatchObject({
    kind: 'TARGET_REFUSED',
    message: `${name}:${traps.ports[0]} is not a target that may be called: it is not on the public internet.`,
  });
  expect({ ...traps, resolved }).toMatchObject({ attempts: [], connections: 0, resolved: [name] });
});

test('a refusal names the setting that would allow the target, and no address of its name', async () => {
  const allow = new AllowList(['10.1.0.0/16'], 'OUTBOUND_ALLOW');
  const named = createOutboundClient({ allow, resolve: async () => [v4('10.9.9.9')] });
  const refusalOf = async (url: string) =>
    String(await named.send(get(url)).catch((error: unknown) => error));
  for (const [url, target] of [
    ['https://erp.internal/orders?key=secret', 'erp.internal:443'],
    ['http://ERP.internal:8080/', 'erp.internal:8080'],
    ['http://127.0.0.1:4010/', '127.0.0.1:4010'],
    ['http://[::1]/', '[::1]:80'],
  ] as const) {
    const refusal = await refusalOf(url);
    expect(refusal).toContain(`${target} is not a target that may be called`);
    expect(refusal).toMatch(new RegExp(`: OUTBOUND_ALLOW=${target.replace(/[[\]]/g, '\\$&')}\\.$`));
    expect(refusal).not.toMatch(/10\.9|secret/);
    expect(() => new AllowList([target])).not.toThrow();
  }
  await named.close();
});

test("localhost is refused with the system's resolver", async () => {
  const usual = createOutboundClient({ allow: [] });
  const sent = usual.send(get(withPort(urlOf('localhost'))));
  await expect(sent).rejects.toMatchObject({ kind: 'TARGET_REFUSED' });
  expect(traps).toMatchObject({ attempts: [], connections: 0 });
  await usual.close();
});

// Without this test the others would pass with traps that nothing can reach.
test.each(LOCAL)('%j reaches this machine when an operator allows it', async (url) => {
  const open = createOutboundClient({ allow: ['0.0.0.0/0', '::/0'] });
  const everywhere = traps.ports.length - 1;
  const answer = await open.send(get(withPort(url, everywhere)));
  expect(Buffer.from(answer.body).toString()).toBe('reached');
  expect(traps).toMatchObject({ attempts: [expect.any(String)], connections: 1 });
  await open.close();
});

test('a redirection to any of them is refused like the first address', async () => {
  let location = '';
  const server = await listen((_req, res) => res.writeHead(302, { location }).end());
  const allowed = createOutboundClient({
    allow: [`127.0.0.1:${server.port}`],
    resolve: async () => [v4('127.0.0.1')],
  });
  await allowed.send({ ...get(server.url), maxRedirects: 0 });
  traps.attempts.length = 0;
  const absolute = [...REFUSED, ...NAMES].filter(isAbsolute);
  for (const [index, url] of absolute.entries()) {
    location = withPort(url, index);
    const refused = allowed.send(get(server.url)).then(() => url);
    await expect(refused).rejects.toMatchObject({ kind: 'TARGET_REFUSED' });
  }
  expect(absolute.length).toBeGreaterThan(300);
  expect(traps.attempts.filter((attempt) => attempt !== `127.0.0.1 ${server.port}`)).toEqual([]);
  expect(traps.connections).toBe(0);
  await allowed.close();
});
