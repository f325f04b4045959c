import { areAddresses, connectionOf } from '../address.ts';

test.each([
  'nats://us%er:pw@host:4222',
  'nats://user:100%@host:4222',
  'nats://host:4222,',
  'http://host:4222',
  'nats://',
])('%s is no address', (text) => {
  expect(areAddresses(text)).toBe(false);
});

test('credentials may hold whatever is encoded in them', () => {
  const text = 'nats://us%25er:p%40ss@a:4222, nats://b:4222';
  expect(areAddresses(text)).toBe(true);
  expect(connectionOf(text)).toEqual({
    servers: ['a:4222', 'b:4222'],
    user: 'us%er',
    pass: 'p@ss',
    inboxPrefix: '_INBOX.us%er',
  });
});

test('TLS is asked for by one address for all, with the own authority where there is one', () => {
  expect(connectionOf('nats://a:4222').tls).toBeUndefined();
  expect(connectionOf('tls://a:4222,nats://b:4222').tls).toEqual({});
  expect(connectionOf('nats://a:4222,tls://b:4222', 'PEM').tls).toEqual({ ca: 'PEM' });
});
