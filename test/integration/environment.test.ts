import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectionOf } from '@workspace-automation/moleculer-nats/address';
import { readEnvironment, VARIABLE_NAMES } from '../../environment/variables.ts';

const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const PRODUCTION = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://db',
  JWT_PRIVATE_KEYS: JSON.stringify({ keys: [jwk] }),
  CREDENTIALS_MASTER_KEYS: Buffer.alloc(32, 7).toString('base64'),
  SMTP_URL: 'smtps://service:secret@mail.example.com',
  MAIL_FROM: 'service@example.com',
};

/** The lines by which an environment is refused. */
function linesOf(source: Record<string, string>): string[] {
  try {
    readEnvironment(source);
  } catch (error) {
    const { message } = error as Error;
    expect(message).not.toContain('hunter2');
    return message.split('\n');
  }
  return [];
}

describe('the environment', () => {
  it('has a default for everything on a bare machine', () => {
    expect(readEnvironment({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      DATA_DIR: './data',
      NODE_ENV: 'development',
      RUN_CONCURRENCY: 48,
    });
  });

  it('takes an empty variable for an unset one', () => {
    expect(readEnvironment({ PORT: '', MONGODB_URI: '' })).toMatchObject({ PORT: 3000 });
  });

  it.each([
    [
      { PORT: '70000' },
      /^PORT: "70000" is not possible; it may be a whole number from 0 to 65535\.$/,
    ],
    [{ PORT: '3000x' }, /^PORT: "3000x"/],
    [{ NODE_ENV: 'staging' }, /^NODE_ENV: "staging" .* development, test, production/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL: /],
    [{ MONGODB_URI: 'http://user:hunter2@db' }, /^MONGODB_URI: the value given is not possible/],
    [{ MONGODB_URI: 'mongodb://' }, /^MONGODB_URI: the value given is not possible/],
    [{ MONGODB_URI: 'mongodb://user:hunter2@db/a b' }, /^MONGODB_URI: the value given/],
    [{ SERVICES: 'issues,nope' }, /^SERVICES: /],
    [{ CORS_ORIGINS: 'https://a.example/' }, /^CORS_ORIGINS: /],
    [{ RATE_LIMIT: '600' }, /^RATE_LIMIT: "600" .* count\/seconds such as 600\/60, or off/],
    [{ SIGN_IN_LIMIT: '0/60' }, /^SIGN_IN_LIMIT: /],
    [{ AGENT_BASE_URL: 'ftp://models.example.com' }, /^AGENT_BASE_URL: "ftp:.* an http:/],
    [
      { AGENT_BASE_URL: 'https://ada:hunter2@models.example.com' },
      /^AGENT_BASE_URL: .*without a user/,
    ],
    [{ AGENT_BASE_URL: 'https://models.example.com/v1' }, /^AGENT_MODEL: must be set where/],
    [{ AGENT_MODEL: 'large' }, /^AGENT_MODEL: must be set where AGENT_BASE_URL is/],
    [{ AGENT_API_KEY: 'sk-hunter2' }, /^AGENT_BASE_URL: unset, but required with AGENT_API_KEY/],
    [{ AGENT_API_KEY: 'sk hunter2' }, /^AGENT_API_KEY: the value given is not/],
    [{ SMTP_URL: 'http://ada:hunter2@mail.example.com' }, /^SMTP_URL: the value given is not/],
    [{ SMTP_URL: 'smtp://ada:hunter2@mail.example.com/?tls=no' }, /^SMTP_URL: the value given/],
    [{ SMTP_URL: 'smtp://ada@mail.example.com' }, /^SMTP_URL: the value given/],
    [{ SMTP_URL: 'smtp://ada:hunter2%0D@mail.example.com' }, /^SMTP_URL: the value given/],
    [{ MAIL_FROM: 'Service <service@example.com>' }, /^MAIL_FROM: .*an e-mail address/],
    [{ BACKUP_DIR: '/backups' }, /^BACKUP_EVERY_MS: must be set where BACKUP_DIR is/],
    [{ BACKUP_EVERY_MS: '60000' }, /^BACKUP_EVERY_MS: must be set where BACKUP_DIR is/],
    [
      { BACKUP_DIR: '/backups', BACKUP_EVERY_MS: '60000', MONGODB_URI: 'mongodb://db' },
      /^BACKUP_DIR: is for the embedded database/,
    ],
    [
      { BACKUP_DIR: './data/../data/backups', BACKUP_EVERY_MS: '60000' },
      /^BACKUP_DIR: lies within DATA_DIR/,
    ],
    [{ BACKUP_DIR: '/backups', BACKUP_EVERY_MS: '999' }, /^BACKUP_EVERY_MS: "999"/],
    [{ TRUSTED_PROXIES: '10.0.0.0/8,proxy' }, /^TRUSTED_PROXIES: /],
  ])('refuses %p with one line', (source, message) => {
    expect(() => readEnvironment(source)).toThrow(message);
    expect(() => readEnvironment(source)).not.toThrow(/hunter2|\n/);
  });

  it.each([
    [{ NODE_ENV: 'production' }, /^MONGODB_URI: /],
    [{ NODE_ENV: 'production', MONGODB_URI: 'mongodb://db' }, /^JWT_PRIVATE_KEYS: /],
    [{ ...PRODUCTION, NATS_URL: 'nats://nats:4222' }, /^NATS_URL: has no user:password@/],
    [{ ...PRODUCTION, CREDENTIALS_MASTER_KEYS: '' }, /^CREDENTIALS_MASTER_KEYS: unset/],
    [{ ...PRODUCTION, SMTP_URL: '' }, /^SMTP_URL: unset/],
    [{ ...PRODUCTION, MAIL_FROM: '' }, /^MAIL_FROM: unset/],
    [{ SMTP_URL: 'smtp://localhost:2525' }, /^MAIL_FROM: unset, but required with SMTP_URL/],
    [{ HOST: '0.0.0.0' }, /^HOST: .*DEVELOPMENT_ON_NETWORK=1/],
    [{ SERVICES: 'api' }, /^NATS_URL: /],
  ])('refuses the contradiction %p', (source, message) => {
    expect(() => readEnvironment(source)).toThrow(message);
  });

  it('tells all faults at once, a line for each variable, then the names that are probably misspelt', () => {
    const source = {
      NODE_ENV: 'production',
      PORT: 'http',
      LOG_LEVEL: 'loud',
      SERVICES: 'api,identity,mails,chat',
      MONGODB_URI: 'http://user:hunter2@db',
      NATS_URL_FILE: '/no/such',
      AGENT_API_KEY: 'sk-hunter2',
      OUTBOUND_ALOW: 'erp:8080',
    };
    expect(linesOf(source)).toEqual([
      expect.stringMatching(/^NATS_URL_FILE: "\/no\/such" cannot be read \(ENOENT\)\.$/),
      expect.stringMatching(/^PORT: "http" is not possible; it may be a whole number /),
      expect.stringMatching(/^MONGODB_URI: the value given is not possible; /),
      expect.stringMatching(
        /^SERVICES: "api,identity,mails,chat" is not possible; .*, recordings\.$/,
      ),
      expect.stringMatching(/^LOG_LEVEL: "loud" is not possible; /),
      'AGENT_BASE_URL: unset, but required with AGENT_API_KEY.',
      'OUTBOUND_ALOW: not a variable of the service, without effect; OUTBOUND_ALLOW is one.',
    ]);
  });

  it('tells all contradictions at once, of one variable the first', () => {
    expect(linesOf({ NODE_ENV: 'production', SMTP_URL: PRODUCTION.SMTP_URL })).toEqual([
      'MONGODB_URI: unset, but required when NODE_ENV=production.',
      'JWT_PRIVATE_KEYS: unset, but required of the service identity when NODE_ENV=production.',
      'CREDENTIALS_MASTER_KEYS: unset, but required of the service connections when NODE_ENV=production.',
      'MAIL_FROM: unset, but required of the service identity when NODE_ENV=production.',
    ]);
  });

  it('judges no rule by a variable that cannot be read', () => {
    const file = { NODE_ENV: 'production', MONGODB_URI_FILE: '/no/such' };
    expect(linesOf({ ...PRODUCTION, ...file, MONGODB_URI: '' })).toEqual([
      'MONGODB_URI_FILE: "/no/such" cannot be read (ENOENT).',
    ]);
    expect(linesOf({ NODE_ENV: 'prod', HOST: '0.0.0.0' })).toEqual([
      expect.stringMatching(/^NODE_ENV: "prod"/),
    ]);
  });

  it('asks for the keys of access tokens only where they are used', () => {
    const { JWT_PRIVATE_KEYS: _, ...without } = PRODUCTION;
    const spread = { ...without, NATS_URL: 'nats://ada:x@a:4222' };
    expect(() => readEnvironment({ ...spread, SERVICES: 'api,identity' })).toThrow(/^JWT_PRIV/);
    expect(readEnvironment({ ...spread, SERVICES: 'api,runs' }).JWT_PRIVATE_KEYS).toBeUndefined();
  });

  it.each([
    'mongodb://127.0.0.1:27017',
    'mongodb://user:secret@a:27017,b:27017,c:27017/name?replicaSet=rs0&authSource=admin',
    'mongodb+srv://user:secret@cluster.example/name',
  ])('takes the database address %s', (address) => {
    expect(readEnvironment({ MONGODB_URI: address }).MONGODB_URI).toBe(address);
  });

  it.each([
    [
      'nats://ada:p%40ss@a:4222',
      { servers: ['a:4222'], user: 'ada', pass: 'p@ss', inboxPrefix: '_INBOX.ada' },
    ],
    ['nats://s3cret@a:4222,nats://b:4222', { servers: ['a:4222', 'b:4222'], token: 's3cret' }],
    [
      'tls://ada:x@a:4222',
      { servers: ['a:4222'], user: 'ada', pass: 'x', inboxPrefix: '_INBOX.ada', tls: {} },
    ],
  ])('takes the NATS address %s, in production too', (address, connection) => {
    expect(readEnvironment({ ...PRODUCTION, NATS_URL: address }).NATS_URL).toBe(address);
    expect(connectionOf(address)).toEqual(connection);
  });

  it('reads limits as count and seconds, and off as none', () => {
    expect(readEnvironment({})).toMatchObject({
      RATE_LIMIT: { count: 600, seconds: 60 },
      SIGN_IN_LIMIT: { count: 10, seconds: 60 },
    });
    expect(readEnvironment({ RATE_LIMIT: 'off' }).RATE_LIMIT).toBeNull();
  });

  it('listens on the network in development only when told to', () => {
    expect(readEnvironment({ HOST: '0.0.0.0', DEVELOPMENT_ON_NETWORK: '1' }).HOST).toBe('0.0.0.0');
  });
});

it('is described whole in the pages for operators', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const firstCells = page.split('\n').flatMap((line) => /^\| (`[A-Z].*?) \|/.exec(line)?.[1] ?? []);
  const described = firstCells.flatMap((cell) => cell.match(/[A-Z][A-Z_]+/g) ?? []);
  const missing = [...VARIABLE_NAMES].filter(
    (name) => !described.includes(name) && !page.includes(`\`${name}\` names the whole`),
  );
  expect(missing.filter((name) => !name.endsWith('_FILE'))).toEqual([]);
  for (const name of missing) expect(page).toContain(`\`${name}\``);
});
