import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '../../../environment.ts';
import { contracts } from '../../../services/contracts.ts';
import { callsOf, EMITTED } from '../../../services/service-calls.ts';

const ROOT = join(import.meta.dirname, '../../..');
const textIn = (pattern: string): string =>
  globSync(pattern, { cwd: ROOT, exclude: ['**/*.contract.ts', '**/contract/**'] })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
const actions = contracts.flatMap((contract) =>
  Object.keys(contract.actions).map((action) => `${contract.name}.${action}`),
);
const routed = contracts.flatMap((contract) =>
  Object.entries(contract.actions).flatMap(([action, operation]) =>
    'route' in operation ? [`${contract.name}.${action}`] : [],
  ),
);
/** Actions of others that the code names. */
const namedIn = (pattern: string, own = ''): string[] =>
  [...textIn(pattern).matchAll(/'([a-z]+\.[A-Za-z]+)'/g)]
    .map(([, name = '']) => name)
    .filter((name) => actions.includes(name) && !name.startsWith(`${own}.`));

test.each(SERVICE_NAMES)('what %s may call is what its code names', (name) => {
  const byCode = namedIn(`services/${name}/**/*.ts`, name);
  const byAccess = name === 'api' ? routed : namedIn('services/middlewares.ts');
  expect([...callsOf(name)].sort()).toEqual([...new Set([...byCode, ...byAccess])].sort());
});

test('the events that go to one process of a service are those that the code emits', () => {
  for (const name of SERVICE_NAMES) {
    const emitted = [...textIn(`services/${name}/**/*.ts`).matchAll(/\.emit\('([^']+)'/g)];
    const heard = emitted.flatMap(([, event = '']) =>
      SERVICE_NAMES.filter((other) =>
        textIn(`services/${other}/*.service.ts`).includes(`'${event}'`),
      ).map((other) => `${other}.${event}`),
    );
    expect([...new Set(heard)]).toEqual(EMITTED[name] ?? []);
  }
});
