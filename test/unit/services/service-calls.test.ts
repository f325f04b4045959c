import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SERVICE_NAMES } from '../../../environment/environment.ts';
import { contracts } from '../../../services/contracts.ts';
import { callsOf, EMITTED } from '../../../services/service-calls.ts';

const ROOT = join(import.meta.dirname, '../../..');
const IS_CONTRACT = /contracts?(\.ts$|\/)/;

/** The files that a file imports, and those that they import; contracts name actions and call none. */
function reachedFrom(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || IS_CONTRACT.test(path)) return found;
  found.add(path);
  for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)) {
    reachedFrom(resolve(dirname(path), target), found);
  }
  return found;
}
const textFrom = (file: string): string =>
  [...reachedFrom(join(ROOT, file))].map((path) => readFileSync(path, 'utf8')).join('\n');
const codeOf = (name: string): string => textFrom(`services/${name}/${name}.service.ts`);
const actions = contracts.flatMap((contract) =>
  Object.keys(contract.actions).map((action) => `${contract.name}.${action}`),
);
const routed = contracts.flatMap((contract) =>
  Object.entries(contract.actions).flatMap(([action, operation]) =>
    'route' in operation ? [`${contract.name}.${action}`] : [],
  ),
);
/** Actions of others that the code names. */
const namedIn = (text: string, own = ''): string[] =>
  [...text.matchAll(/'([a-z]+\.[A-Za-z]+)'/g)]
    .map(([, name = '']) => name)
    .filter((name) => actions.includes(name) && !name.startsWith(`${own}.`));

test.each(SERVICE_NAMES)('what %s may call is what its code names', (name) => {
  const byCode = namedIn(codeOf(name), name);
  const byAccess = name === 'api' ? routed : namedIn(textFrom('middlewares/index.ts'));
  expect([...callsOf(name)].sort()).toEqual([...new Set([...byCode, ...byAccess])].sort());
});

test('the events that go to one process of a service are those that the code emits', () => {
  for (const name of SERVICE_NAMES) {
    const events = [...codeOf(name).matchAll(/\.emit\('([^']+)'/g)].map(([, event = '']) => event);
    const heard = SERVICE_NAMES.flatMap((other) => {
      const file = readFileSync(join(ROOT, `services/${other}/${other}.service.ts`), 'utf8');
      return events
        .filter((event) => file.includes(`'${event}'`))
        .map((event) => `${other}.${event}`);
    });
    expect(heard.sort()).toEqual([...(EMITTED[name] ?? [])].sort());
  }
});
