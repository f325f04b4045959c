import { randomBytes } from 'node:crypto';
import { readMasterKeys } from '../../../environment/values/master-keys.ts';
import { readEnvironment } from '../../../environment/variables.ts';

const [A, B] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

describe('CREDENTIALS_MASTER_KEYS', () => {
  it('are named alike wherever they stand, and each by a name of its own', () => {
    const names = (text: string) => readMasterKeys(text)?.map(({ kid }) => kid);
    const [a, b] = names(`${A},${B}`) ?? [];
    expect(names(` ${B} , ${A}\n`)).toEqual([b, a]);
    expect(a).not.toBe(b);
    expect(Buffer.from(A, 'base64').toString('hex')).not.toContain(a);
  });

  it.each([
    ['no base64', 'hunter2-is-no-key'],
    ['31 bytes', randomBytes(31).toString('base64')],
    ['33 bytes', randomBytes(33).toString('base64')],
    ['a key twice', `${A},${B},${A}`],
    ['an empty item', `${A},`],
    ['base64url', Buffer.alloc(32, 0xff).toString('base64url')],
  ])('refuses %s without showing it', (_, text) => {
    const read = () => readEnvironment({ CREDENTIALS_MASTER_KEYS: text });
    expect(read).toThrow(
      /^CREDENTIALS_MASTER_KEYS: the value given is not possible; it may be base64 of 32 random bytes/,
    );
    expect(read).not.toThrow(text);
  });
});
