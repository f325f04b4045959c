import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { contracts, events } from '../../../services/contracts.ts';
import { callsOf, LISTENERS, toolActions } from '../../../services/service-calls.ts';

const ROOT = join(import.meta.dirname, '../../..');
const IS_CONTRACT = /contracts?(\.ts$|\/)/;

/** The files that a file imports, and those that they import; contracts name actions and call none. */
function reachedFrom(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || IS_CONTRACT.test(relative(ROOT, path))) return found;
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
  [...text.matchAll(/'([a-z-]+\.[A-Za-z]+)'/g)]
    .map(([, name = '']) => name)
    .filter((name) => actions.includes(name) && !name.startsWith(`${own}.`));

/** The erasures that a deletion by a service begins in all other services. */
const ERASURES: Partial<Record<string, string>> = {
  workspaces: 'eraseWorkspace',
  identity: 'erasePerson',
};
const erasuresOf = (own: string, action: string): string[] =>
  actions.filter((name) => name.endsWith(`.${action}`) && !name.startsWith(`${own}.`));

test.each(SERVICE_NAMES)('what %s may call is what its code names', (name) => {
  const byCode = namedIn(codeOf(name), name);
  const byAccess = name === 'api' ? routed : namedIn(textFrom('services/access-sources.ts'));
  const erased = name in ERASURES ? erasuresOf(name, ERASURES[name] ?? '') : [];
  const byModels = codeOf(name).includes('function callTool(') ? toolActions() : [];
  expect([...callsOf(name)].sort()).toEqual(
    [...new Set([...byCode, ...byAccess, ...erased, ...byModels])].sort(),
  );
});

/** The name of an event as an identifier: `userVerified` for `user.verified`. */
const identifierOf = (event: string): string =>
  event.replaceAll(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase());
const eventsOf = (name: string): string[] =>
  Object.entries(events).flatMap(([emitter, of]) =>
    emitter === name ? of.map((event) => identifierOf(event.name)) : [],
  );
const allEvents = Object.values(events).flat();

test('the listeners of an event that goes to one process are those in the code', () => {
  for (const { name, delivery } of allEvents) {
    if (delivery !== 'one') continue;
    const listeners = SERVICE_NAMES.filter((service) =>
      readFileSync(join(ROOT, `services/${service}/${service}.service.ts`), 'utf8').includes(
        `on(${identifierOf(name)},`,
      ),
    );
    expect(listeners.sort()).toEqual([...LISTENERS[name as keyof typeof LISTENERS]].sort());
  }
});

test.each(SERVICE_NAMES)('%s emits the events of its own contract, and no other', (name) => {
  const emitted = [
    ...codeOf(name).matchAll(/(?:emit|announce|eventMessage)\((?:[\w.#]+, )?(\w+), \{/g),
  ]
    .map(([, identifier = '']) => identifier)
    .filter((identifier) => allEvents.some((event) => identifierOf(event.name) === identifier));
  expect([...new Set(emitted)].sort()).toEqual(eventsOf(name).sort());
});

test('no code emits an event by its bare name', () => {
  for (const name of SERVICE_NAMES) {
    expect(codeOf(name)).not.toMatch(/\.(?:emit|broadcast)\('[\w-]+\./);
  }
});
