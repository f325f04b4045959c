import { Email, emailKey, Name, NewEmail } from '../../../contract/fields.ts';

const takes = (type: typeof Name | typeof NewEmail, value: string) => type.safeParse(value).success;

describe('an address that somebody is given', () => {
  it.each([
    'ada@example.com',
    ' Ada.Lovelace+engine@Sub.Example.co ',
    "o'hara_{x}|y/z=1@example.com",
    'jörg@müller.de',
    'почта@пример.рф',
    'mail@xn--e1afmkfd.xn--p1ai',
    '邮箱@例子.公司',
    'straße@example.com',
  ])('may be %s', (email) => {
    expect(takes(NewEmail, email)).toBe(true);
  });

  it.each([
    ['two dots', 'a@b..com'],
    ['a dot at its beginning', '.a@b.com'],
    ['a dot before the @', 'a.@b.com'],
    ['two dots before the @', 'a..b@b.com'],
    ['a label that begins with a hyphen', 'a@-b.com'],
    ['a label that ends with a hyphen', 'a@b-.com'],
    ['a label that is too long', `a@${'b'.repeat(64)}.com`],
    ['a number for a domain', 'a@192.0.2.10'],
    ['a part of more than 64 bytes', `${'é'.repeat(33)}@b.com`],
    ['an underscore in the domain', 'a@b_c.com'],
    ['percent-encoding in the domain', 'a@%62.com'],
    ['a space without width', 'a\u200b@b.com'],
    ['a soft hyphen', 'a\u00ad@b.com'],
    ['a soft hyphen in the domain', 'a@b\u00adc.com'],
    ['a filler', 'a\u3164@b.com'],
    ['a joiner', 'a\u200d@b.com'],
    ['text turned around', '\u202eada@b.com'],
    ['full-width letters in the domain', 'a@\uff42.com'],
  ])('has not %s', (_what, email) => {
    expect(takes(NewEmail, email)).toBe(false);
  });

  it('is still found when it was given before it would be refused', () => {
    for (const email of ['a@b..com', 'a\u200b@b.com']) expect(takes(Email, email)).toBe(true);
  });
});

it('addresses compare by NFC, also where lower case takes them out of it', () => {
  expect(emailKey(' J\u030c@X.com')).toBe(emailKey('\u01f0@x.com'));
  expect(emailKey('E\u0301@x.com')).toBe('\u00e9@x.com');
});

describe('a name', () => {
  it.each([
    'Ada',
    '  O’Hara & Sons (1843) ',
    '分析エンジン',
    'علی\u200cرضا',
    'क्\u200dष',
    '👩\u200d💻 ❤\ufe0f',
    '🏴\u{e0067}\u{e0062}\u{e007f}',
    'Order\u200bs', // as spreadsheets and word processors write them
    'co\u00adoperate',
    '\u05d0\u200f!',
    '#1',
    '!',
  ])('may be %s', (name) => {
    expect(takes(Name, name)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['spaces', '  '],
    ['a space without width', '\u200b'],
    ['a filler', '\u3164'],
    ['joiners alone', '\u200d\u200c'],
    ['an empty braille pattern', '\u2800'],
    ['text turned around', 'invoice\u202efdp.exe'],
    ['an isolate', '\u2066a\u2069'],
    ['a line break', 'a\nb'],
  ])('is not %s', (_what, name) => {
    expect(takes(Name, name)).toBe(false);
  });
});
