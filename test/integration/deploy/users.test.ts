import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usersOfCompose } from '../../../deploy/make-nats-users.ts';
import { COLLECTIONS } from '../../../deploy/mongo-roles.ts';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { ROOT, textOf } from './project.ts';

test('the users of NATS are those that npm run make-nats-users writes', () => {
  expect(textOf('deploy/nats/users.conf')).toBe(usersOfCompose());
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
