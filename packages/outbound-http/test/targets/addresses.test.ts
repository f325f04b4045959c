import { AllowList } from '../../index.ts';

const nothing = new AllowList([]);
const mayGoTo = (address: string): boolean => nothing.permits(address, 'host.example', 80);

describe('addresses that nobody may call', () => {
  test.each([
    ['this host', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['all of loopback', '127.255.255.254'],
    ['private 10', '10.0.0.1'],
    ['private 172', '172.16.0.1'],
    ['the end of private 172', '172.31.255.255'],
    ['private 192', '192.168.1.1'],
    ['shared by carriers', '100.64.0.1'],
    ['metadata of a cloud in the carriers’ range', '100.100.100.200'],
    ['link-local', '169.254.0.1'],
    ['metadata', '169.254.169.254'],
    ['metadata at a public address', '168.63.129.16'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation 2', '198.51.100.1'],
    ['documentation 3', '203.0.113.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified v6', '::'],
    ['loopback v6', '::1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of a site', '64:ff9b:1::7f00:1'],
    ['discarded', '100::1'],
    ['Teredo', '2001:0:1::1'],
    ['benchmarks v6', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation v6', '2001:db8::1'],
    ['documentation v6, newer', '3fff::1'],
    ['6to4', '2002:7f00:1::'],
    ['unique local', 'fc00::1'],
    ['metadata v6', 'fd00:ec2::254'],
    ['link-local v6', 'fe80::1'],
    ['link-local v6 with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast v6', 'ff02::1'],
    ['not yet given out', '4000::1'],
    ['segment routing', '5f00::1'],
    ['no address at all', 'localhost'],
  ])('%s', (_what, address) => {
    expect(mayGoTo(address)).toBe(false);
  });
});

test.each(['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])(
  'public: %s',
  (address) => {
    expect(mayGoTo(address)).toBe(true);
  },
);

describe('what an operator allows', () => {
  test('is a range, and nothing beside it', () => {
    const list = new AllowList(['10.1.0.0/16', 'fd12::/32']);
    expect(list.permits('10.1.2.3', 'erp.example', 443)).toBe(true);
    expect(list.permits('10.2.2.3', 'erp.example', 443)).toBe(false);
    expect(list.permits('fd12::9', 'erp.example', 443)).toBe(true);
    expect(list.permits('fd13::9', 'erp.example', 443)).toBe(false);
  });

  test('is one host at one port, whatever its address', () => {
    const list = new AllowList(['ERP.internal:8080', '[::1]:9000', '127.1:80']);
    expect(list.permits('10.9.9.9', 'erp.internal', 8080)).toBe(true);
    expect(list.permits('10.9.9.9', 'erp.internal', 8081)).toBe(false);
    expect(list.permits('10.9.9.9', 'www.erp.internal', 8080)).toBe(false);
    expect(list.permits('::1', '[::1]', 9000)).toBe(true);
    expect(list.permits('127.0.0.1', '127.0.0.1', 80)).toBe(true);
  });

  test.each([
    '10.0.0.1',
    '10.0.0.0/33',
    'host',
    'host:0',
    'host:70000',
    'http://host:80',
    'u@h:80',
  ])('is never %s', (entry) => {
    expect(() => new AllowList([entry])).toThrow('neither a CIDR range nor host:port');
  });
});
