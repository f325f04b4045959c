import fc from 'fast-check';
import { canonicalAddress, isLoopback, networkOf } from '../../../environment/values/ip-address.ts';

const canonical = (text: string): string => canonicalAddress(text) ?? '';

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(canonical(address) || address)).toBe(network);
  });

  it('is the same exactly for IPv6 addresses with the same first 64 bits', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
    const half = fc.array(group, { minLength: 4, maxLength: 4 });
    const write = (groups: number[]) => canonical(groups.map((n) => n.toString(16)).join(':'));
    fc.assert(
      fc.property(half, half, half, half, (one, other, host, otherHost) => {
        const addresses = [
          write([...one, ...host]),
          write([...other, ...otherHost]),
          write([...one, ...otherHost]),
        ];
        fc.pre(addresses.every((address) => address.includes(':'))); // others are mapped IPv4 addresses
        const [a, b, c] = addresses.map(networkOf);
        expect(a === b).toBe(one.join() === other.join());
        expect(c).toBe(a);
      }),
    );
  });
});

it.each([
  ['127.0.0.1', true],
  ['127.255.0.1', true],
  ['::1', true],
  ['128.0.0.1', false],
  ['::2', false],
  [null, false],
])('tells whether %p is this machine', (address, is) => {
  expect(isLoopback(address)).toBe(is);
});
