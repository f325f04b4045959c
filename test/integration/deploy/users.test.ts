import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usersOfCompose } from '../../../deploy/make-nats-users.ts';
import { natsUsers } from '../../../deploy/nats-users.ts';
import { usersFile } from '../../../deploy/nats-users-file.ts';
import { COLLECTIONS } from '../../../deploy/mongo-roles.ts';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { ROOT, testFolder, textOf } from './project.ts';

test('the users of NATS are those that npm run make-nats-users writes', () => {
  expect(textOf('deploy/nats/users.conf')).toBe(usersOfCompose());
});

describe('make-nats-users for other processes', () => {
  const folder = testFolder();
  const make = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'deploy/make-nats-users.ts'), ...args], {
      encoding: 'utf8',
    });
  const CUT = 'api; identity,workspaces;flows,runs';
  const textIn = (file: string) => readFileSync(join(folder, file), 'utf8');

  it('gives each process a user with the rights of its services, and a password', () => {
    expect(make('--services', CUT, folder)).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /: users api, identity, flows; passwords made for api, identity, flows, console\nno process has issues, .+\n$/,
      ),
    });
    const cut = natsUsers({
      api: ['api'],
      identity: ['identity', 'workspaces'],
      flows: ['flows', 'runs'],
    });
    expect(textIn('users.conf').endsWith(usersFile(cut))).toBe(true);
    const [, password] =
      /^PASSWORD_FLOWS: "([\da-f]{64})"$/m.exec(textIn('nats-passwords.conf')) ?? [];
    expect(textIn('nats-url-flows')).toBe(`nats://flows:${password}@nats:4222\n`);
    expect(readdirSync(folder).sort()).toEqual(
      ['nats-passwords.conf', 'users.conf']
        .concat(['api', 'console', 'flows', 'identity'].map((user) => `nats-url-${user}`))
        .sort(),
    );
  });

  it('writes the rights anew and leaves the passwords', () => {
    const passwords = textIn('nats-passwords.conf');
    writeFileSync(join(folder, 'users.conf'), 'of another version');
    expect(make('--services', CUT, folder).stdout).toContain('their passwords are there already');
    expect(textIn('users.conf')).toContain('user: "flows"');
    expect(textIn('nats-passwords.conf')).toBe(passwords);
  });

  it('adds those of another cut, says which, and leaves the others', () => {
    const before = textIn('nats-passwords.conf');
    const lines = (text: string) => text.trim().split('\n').sort();
    const wider = make('--services', 'api;identity;workspaces;flows,runs', folder);
    expect(wider.stdout).toContain('; passwords made for workspaces\n');
    const [, password] = /:(\w+)@/.exec(textIn('nats-url-workspaces')) ?? [];
    expect(lines(textIn('nats-passwords.conf'))).toEqual(
      lines(`${before}PASSWORD_WORKSPACES: "${password}"`),
    );
    expect(make('--services', CUT, folder).stdout).toContain('their passwords are there already');
    expect(textIn('nats-passwords.conf')).toBe(before);
  });

  it('makes no half of a user anew', () => {
    const [address, text] = [join(folder, 'nats-url-flows'), textIn('nats-url-flows')];
    rmSync(address);
    const passwords = join(folder, 'nats-passwords.conf');
    expect(make('--services', CUT, folder)).toMatchObject({
      status: 1,
      stderr: `${address} missing. Put it back, or remove PASSWORD_FLOWS from ${passwords}, too.\n`,
    });
    writeFileSync(address, text);
  });

  it.each([
    [['--services', 'api;flow', folder], '--services: "flow" is no service; there are api, '],
    [['--services', 'api;api,runs', folder], '--services: two processes begin with api.'],
    [['--services', 'api;', folder], '--services: "" is no service'],
    [['--services', 'api'], 'Which folder is for the files?'],
    [[folder], '--services: which services does each process run?'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = make(...args);
    expect([status, stderr.startsWith(message)]).toEqual([1, true]);
  });
});

/** The collections of the models that a service's code imports. */
async function collectionsOf(service: string): Promise<string[]> {
  const files = globSync(`services/${service}/**/*.ts`, { cwd: ROOT });
  const text = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  const models = [...text.matchAll(/models\/[\w-]+\.model\.ts/g)].map(([path]) => path);
  const found = await Promise.all(
    [...new Set(models)].map(async (path) => {
      const exported: Record<string, unknown> = await import(join(ROOT, path));
      return Object.values(exported).flatMap((value) => {
        const { collection } = (value ?? {}) as { collection?: { name?: string } };
        return collection?.name ?? [];
      });
    }),
  );
  return [
    ...(/\b(nextId|changesOf)\(/.test(text) ? ['sequences'] : []),
    ...(/\berasuresOf\(/.test(text) ? [`${service.replaceAll('-', '_')}_erasures`] : []),
    ...found.flat(),
  ];
}

test.each(SERVICE_NAMES)('%s may use the collections that its code uses', async (name) => {
  expect([...COLLECTIONS[name]].sort()).toEqual((await collectionsOf(name)).sort());
});

test('no collection but that of ids belongs to two services', () => {
  const all = SERVICE_NAMES.flatMap((name) => COLLECTIONS[name]).filter((n) => n !== 'sequences');
  expect(new Set(all).size).toBe(all.length);
});

test('MongoDB is prepared by who has none of the settings of a service', () => {
  const { stderr } = spawnSync(process.execPath, [join(ROOT, 'deploy/init-mongo.ts')], {
    env: { NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  expect(stderr).toBe('not done yet: files of password and addresses are needed\n');
});
