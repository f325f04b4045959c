import { isCommonPassword } from '../../../services/identity/passwords/common-passwords.ts';

describe('a common password', () => {
  it.each([
    'password1234',
    'passwordpassword',
    'p@ssw0rd2026!',
    'welcome-welcome-1',
    'administrator',
    'qwertyuiopas',
    '123456789012',
    '210987654321',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abc123abc123abc',
    '1qaz2wsx3edc',
    'correcthorsebatterystaple',
    '    password    ',
  ])('is known: %s', (text) => expect(isCommonPassword(text)).toBe(true));

  it.each([
    'seven green kettles',
    'my password is very odd',
    'мойпарольadminкрутой',
    'xk3v 9qpl 22mz',
    'passwordless login is here',
    'aaaaaaaaaaab',
  ])('is not: %s', (text) => expect(isCommonPassword(text)).toBe(false));

  it('is told of any text, however it repeats itself', () => {
    const texts = ['1'.repeat(256), 'password'.repeat(32), `${'ab'.repeat(127)}c`];
    for (const text of texts) expect(typeof isCommonPassword(text)).toBe('boolean');
  });
});
