import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { TrustedProxies } from '../../../../environment/values/trusted-proxies.ts';
import {
  type Connection,
  ConnectionLimit,
} from '../../../../mixins/gateway/connections/connection-limit.ts';

const silent = pino({ level: 'silent' });
const limit = () => new ConnectionLimit(10, new TrustedProxies(['10.0.0.0/8']), silent);
const from = (remoteAddress: string): Connection =>
  Object.assign(new EventEmitter(), { remoteAddress });

const admitted = (connections: ConnectionLimit, address: string, times: number): number =>
  Array.from({ length: times }, () => connections.admits(from(address))).filter(Boolean).length;

it('gives one address half of all connections, however it is written', () => {
  const connections = limit();
  expect(admitted(connections, '203.0.113.9', 3)).toBe(3);
  expect(admitted(connections, '::ffff:203.0.113.9', 9)).toBe(2);
  expect(admitted(connections, '203.0.113.10', 9)).toBe(5);
});

it('gives the addresses of one IPv6 network half of all connections together', () => {
  const connections = limit();
  expect(admitted(connections, '2001:db8:1:2::1', 3)).toBe(3);
  expect(admitted(connections, '2001:db8:1:2:ffff::2', 9)).toBe(2);
  expect(admitted(connections, '2001:db8:1:3::1', 9)).toBe(5);
});

it('gives a place back when a connection closes', () => {
  const connections = limit();
  const socket = from('203.0.113.9');
  expect(connections.admits(socket)).toBe(true);
  expect(admitted(connections, '203.0.113.9', 9)).toBe(4);
  socket.emit('close');
  expect(admitted(connections, '203.0.113.9', 9)).toBe(1);
});

it.each(['10.1.2.3', '127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'leaves all to %s, which stands for many clients',
  (address) => {
    expect(admitted(limit(), address, 10)).toBe(10);
  },
);
