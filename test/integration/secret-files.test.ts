import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment, VARIABLE_NAMES } from '../../environment/variables.ts';

const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('a secret in a file', () => {
  it('is read as if the variable held it', () => {
    const path = file('uri', 'mongodb://user:hunter2@db:27017/name\n');
    expect(readEnvironment({ MONGODB_URI_FILE: path }).MONGODB_URI).toBe(
      'mongodb://user:hunter2@db:27017/name',
    );
  });

  it('may be unset or empty, which means the same', () => {
    expect(readEnvironment({ MONGODB_URI_FILE: '' }).MONGODB_URI).toBeUndefined();
  });

  it('may be any secret, and nothing but a secret', () => {
    const names = [...VARIABLE_NAMES].filter((name) => name.endsWith('_FILE')).sort();
    expect(names).toEqual([
      'AGENT_API_KEY_FILE',
      'CREDENTIALS_MASTER_KEYS_FILE',
      'IDP_INITIAL_ACCESS_TOKEN_FILE',
      'JWT_PRIVATE_KEYS_FILE',
      'MONGODB_URI_FILE',
      'NATS_CA_FILE', // no secret, but a text of many lines
      'NATS_URL_FILE',
      'SMTP_URL_FILE',
    ]);
    expect(readEnvironment({ PORT_FILE: '/nowhere' }).PORT).toBe(3000);
  });

  it.each([
    [{ MONGODB_URI_FILE: '/no/such' }, /^MONGODB_URI_FILE: "\/no\/such" cannot be read \(ENOENT\)/],
    [{ NATS_URL_FILE: folder }, /^NATS_URL_FILE: .* cannot be read \(EISDIR\)\.$/],
    [{ NATS_URL_FILE: file('blank', ' \n') }, /^NATS_URL_FILE: .* is empty\.$/],
    [
      { MONGODB_URI_FILE: '/no/such', MONGODB_URI: 'mongodb://hunter2' },
      /^MONGODB_URI_FILE: set, but so is MONGODB_URI/,
    ],
    [{ JWT_PRIVATE_KEYS_FILE: file('keys', 'hunter2') }, /^JWT_PRIVATE_KEYS: the value given/],
  ])('%p is refused with one line that gives nothing away', (source, message) => {
    expect(() => readEnvironment(source)).toThrow(message);
    expect(() => readEnvironment(source)).not.toThrow(/hunter2|\n/);
  });
});
