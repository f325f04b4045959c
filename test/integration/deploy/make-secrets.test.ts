import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../../../environment/variables.ts';
import { ROOT, testFolder, textOf } from './project.ts';

const project = testFolder();
const folder = join(project, 'deploy', 'secrets');

const isRoot = process.getuid?.() === 0;
const itAsRoot = isRoot ? it : it.skip;
/** Whom the files belong to: whoever is not root can name nobody else. */
const OWNER = isRoot ? '1234:5678' : `${process.getuid?.()}:${process.getgid?.()}`;

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'deploy/make-secrets.ts'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_ENV: 'production' }, // of a service it needs no setting
  });
const makeSecrets = () => run('--owner', OWNER, project);
const ownerOf = (path: string): string => {
  const { uid, gid } = statSync(path);
  return `${uid}:${gid}`;
};
const contents = (): string[] =>
  readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));

describe('make-secrets', () => {
  beforeAll(() => {
    mkdirSync(join(project, 'deploy'));
    expect(makeSecrets()).toMatchObject({ status: 0, stderr: '' });
  });

  it('makes files that nobody else can read', () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
  });

  it('makes secrets with which the service starts in production', () => {
    const environment = readEnvironment({
      NODE_ENV: 'production',
      MONGODB_URI_FILE: join(folder, 'mongodb-uri-identity'),
      NATS_URL_FILE: join(folder, 'nats-url-identity'),
      CREDENTIALS_MASTER_KEYS_FILE: join(folder, 'credentials-master-keys'),
      JWT_PRIVATE_KEYS_FILE: join(folder, 'jwt-private-keys.json'),
      SMTP_URL: 'smtps://mail.example.com',
      MAIL_FROM: 'service@example.com',
    });
    expect(environment.JWT_PRIVATE_KEYS?.[0].kid).toMatch(/^[\da-f-]{36}$/);
    expect(environment.CREDENTIALS_MASTER_KEYS).toHaveLength(1);
    expect(environment.NATS_URL).toMatch(/^nats:\/\/identity:[\da-f]{64}@nats:4222$/);
  });

  it('gives them to the owner that is named, and tells Compose', () => {
    for (const name of ['', ...readdirSync(folder)]) {
      expect(ownerOf(join(folder, name))).toBe(OWNER);
    }
    expect(readFileSync(join(project, '.env'), 'utf8')).toBe(`SERVICE_USER=${OWNER}\n`);
  });

  itAsRoot('makes none beside those of another user, and gives all of them to an owner', () => {
    const before = contents();
    expect(run(project)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `${folder} belongs to ${OWNER}: add --owner ${OWNER}.\n`,
    });
    writeFileSync(join(folder, 'smtp-url'), 'smtps://mail.example.com\n', { mode: 0o600 });
    expect(makeSecrets().status).toBe(0);
    expect(ownerOf(join(folder, 'smtp-url'))).toBe(OWNER);
    rmSync(join(folder, 'smtp-url'));
    expect(contents()).toEqual(before);
  });

  itAsRoot.each([
    ['a symbolic link', symlinkSync],
    ['a second name', linkSync],
  ])('gives away nothing where %s leads elsewhere, and names it', (_, lead) => {
    const [target, evil] = [join(project, 'of-root'), join(folder, 'evil')];
    writeFileSync(target, '');
    lead(target, evil);
    expect(makeSecrets()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `${evil} is no plain file with one name: remove it from the secrets.\n`,
    });
    expect(ownerOf(target)).toBe('0:0');
    rmSync(evil);
    rmSync(target);
  });

  itAsRoot('tells who is not root what to do in the folder of another user or group', () => {
    // whatever umask a database that another file opened has left to this process
    for (const way of [project, join(project, 'deploy')]) chmodSync(way, 0o755);
    const runAs = (uid: number, gid: number, ...args: readonly string[]) =>
      spawnSync(process.execPath, [join(ROOT, 'deploy/make-secrets.ts'), ...args, project], {
        encoding: 'utf8',
        env: {},
        uid,
        gid,
      });
    const belongs = `${folder} belongs to 1234:5678`;
    const other = `${belongs}: run this as that user, or as root with --owner.\n`;
    expect(runAs(4321, 5678)).toMatchObject({ status: 1, stdout: '', stderr: other });
    expect(runAs(4321, 5678, '--owner', '4321:5678').stderr).toBe(other);
    expect(runAs(1234, 4321).stderr).toBe(`${belongs}: add --owner 1234:4321.\n`);
  });

  it('leaves them to the caller without an owner; Compose is not told of root', () => {
    const own = join(project, 'own');
    const { status, stdout } = run(own);
    expect(status).toBe(0);
    const caller = `${process.getuid?.()}:${process.getgid?.()}`;
    expect(ownerOf(join(own, 'deploy/secrets/mongo-key'))).toBe(caller);
    if (isRoot) expect(stdout).toContain('The secrets are of root, as whom no container runs');
    expect(existsSync(join(own, '.env'))).toBe(!isRoot);
  });

  it.each(['ada', '1000', '1000:', '-1:0'])('refuses the owner %s, and makes nothing', (owner) => {
    const other = join(project, 'other');
    const { status, stderr } = run(`--owner=${owner}`, other);
    expect([status, existsSync(other)]).toEqual([1, false]);
    expect(stderr).toBe(`--owner ${owner}: it is a user id and a group id, such as 1000:1000.\n`);
  });

  it('adds that to an .env which does not say it, once, and tells of one that says another', () => {
    const file = join(project, '.env');
    const [line = ''] = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, 'LOG_LEVEL=debug');
    expect(makeSecrets().stdout).toContain(`${file}: ${line}\n`);
    expect(makeSecrets().stdout).toContain(`${file}: ${line}\n`);
    expect(readFileSync(file, 'utf8')).toBe(`LOG_LEVEL=debug\n${line}\n`);
    writeFileSync(file, 'SERVICE_USER=77:77\n');
    expect(makeSecrets().stdout).toContain(
      `says SERVICE_USER=77:77, but the secrets are of ${OWNER}`,
    );
    expect(readFileSync(file, 'utf8')).toBe('SERVICE_USER=77:77\n');
  });

  it('makes a cluster key of the length and the characters that MongoDB takes', () => {
    const key = readFileSync(join(folder, 'mongo-key'), 'utf8').trim();
    expect(key).toMatch(/^[A-Za-z0-9+/]{6,1024}={0,2}$/);
    expect(key.length).toBeLessThanOrEqual(1024);
  });

  it('leaves what is there as it is, and prints none of it', () => {
    const before = contents();
    const { status, stdout } = makeSecrets();
    expect(status).toBe(0);
    expect(contents()).toEqual(before);
    for (const secret of before) expect(stdout).not.toContain(secret.trim());
  });

  it('does not make one half of a secret anew', () => {
    const before = contents().length;
    rmSync(join(folder, 'nats-url-api'));
    const { status, stderr } = makeSecrets();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^users of NATS: .*nats-url-api missing/);
    expect(contents()).toHaveLength(before - 1);
  });

  it('makes files that git ignores', () => {
    expect(textOf('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['deploy/secrets/', '.env']),
    );
  });
});
