import { isIP } from 'node:net';
import fc from 'fast-check';
import { canonicalAddress } from '../../../environment/values/ip-address.ts';
import { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';

describe('the canonical form of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', null],
    ['192.0.2.01', null],
    ['192.0.2.1:80', null],
    ['', null],
  ])('of %p is %p', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });

  it('is its own canonical form, for every address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const canonical = canonicalAddress(text) ?? '';
        expect(canonicalAddress(canonical)).toBe(canonical);
      }),
    );
  });
});

describe('the address of a client', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7']);

  it.each([
    ['the peer’s, without a proxy', '198.51.100.1', undefined, '198.51.100.1'],
    [
      'the peer’s, whatever a peer that is no proxy says',
      '198.51.100.1',
      '1.1.1.1',
      '198.51.100.1',
    ],
    ['what the proxy appended', '10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['behind several proxies', '10.0.0.1', '1.1.1.1, 203.0.113.9,192.0.2.7', '203.0.113.9'],
    ['the first of all, when all are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy’s, when it names nobody', '10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
    ['the proxy’s, when it names nothing', '10.0.0.1', '1.1.1.1,', '10.0.0.1'],
    ['the proxy’s, without the header', '10.0.0.1', undefined, '10.0.0.1'],
    ['without the port that a proxy wrote', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['without the port of an IPv6 address', '10.0.0.1', '[2001:db8::9]:4711', '2001:db8::9'],
    ['IPv4, of a socket for both', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['by a proxy with IPv6', '2001:db8:1::1', '203.0.113.9', '203.0.113.9'],
    ['unknown, when the connection is gone', undefined, '203.0.113.9', 'unknown'],
  ])('is %s', (_what, peer, forwardedFor, address) => {
    expect(proxies.clientAddress(peer, forwardedFor)).toBe(address);
  });

  it('is an address that a trusted proxy or the kernel has seen, whatever the header', () => {
    const text = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 5 });
    const seen = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(text, seen, (claimed, address) => {
        const canonical = canonicalAddress(address) ?? '';
        fc.pre(!proxies.includes(canonical));
        const forwardedFor = [...claimed, address].join(', ');
        expect(proxies.clientAddress('10.0.0.1', forwardedFor)).toBe(canonical);
        expect(proxies.clientAddress(address, forwardedFor)).toBe(canonical);
      }),
    );
  });

  it('is always an address', () => {
    fc.assert(
      fc.property(fc.string(), (forwardedFor) => {
        expect(isIP(proxies.clientAddress('10.0.0.1', forwardedFor))).not.toBe(0);
      }),
    );
  });
});

it.each(['10.0.0.0/33', '::/129', 'proxy.example', '10.0.0.0/x', '10.0.0/8', '/8'])(
  'does not take %p for a range',
  (entry) => {
    expect(() => new TrustedProxies([entry])).toThrow(RangeError);
  },
);
