/**
 * A process like a sandbox child: evaluates all attacks in one realm, then prints the paths of the objects that two
 * evaluations share and that are not frozen.
 */
import { constants, createContext } from 'node:vm';
import { BUILT_INS } from '../../language/names.ts';
import { realmScript } from '../../sandbox/child/realm-script.ts';
import { realmSource } from '../../sandbox/realm-source.ts';
import { ATTACKED_INPUT, ATTACKS } from './attacks.ts';

/** Runs in the realm, where it has the evaluator's own names. */
const INSPECTOR = `
async function evaluateAll(sources, input) {
  for (const source of sources) {
    try {
      await run({ source }, JSON.parse(input), {});
    } catch {}
  }
}

async function worldOf(source) {
  const value = await run({ source }, {}, {});
  return walk(new Map([[globalThis, 'global'], [jsonata, 'jsonata'], [compiled.get(source), 'compiled'], [value, 'value']]));
}

function walk(found) {
  for (const [object, path] of found) {
    const add = (value, name) => {
      const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
      if (isObject && !found.has(value)) found.set(value, path + '.' + String(name));
    };
    add(Reflect.getPrototypeOf(object), '(prototype)');
    for (const key of Reflect.ownKeys(object)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
      for (const each of [value, get, set]) add(each, key);
    }
  }
  return found;
}

const unfrozen = { result: null };
async function inspect(sources, input, source) {
  await evaluateAll(JSON.parse(sources), input);
  const first = await worldOf(source);
  const second = await worldOf(source);
  unfrozen.result = JSON.stringify([...second]
    .filter(([object]) => first.has(object) && !Object.isFrozen(object))
    .map(([, path]) => path));
}
function createEvaluator() {
  createUninspectedEvaluator();
  return { inspect, result: () => unfrozen.result };
}
`;

const { evaluator, ...source } = realmSource();
const uninspected = evaluator.replace('createEvaluator()', 'createUninspectedEvaluator()');
const script = realmScript({ ...source, evaluator: `${uninspected}\n${INSPECTOR}` });
const context = createContext(constants.DONT_CONTEXTIFY, {
  codeGeneration: { strings: false, wasm: false },
});
const inspector = script.runInContext(context);

const functions = [...BUILT_INS].map((name) => `$${name}`).join(', ');
const everything = `[${functions}, [[1..2].$], function($x){ $x }, /a/, /a/("aa").next, |a|{}|, $substring(?, 1), $trim ~> $uppercase]`;
process.on('unhandledRejection', () => undefined); // what an attack leaves unawaited
inspector.inspect(JSON.stringify(ATTACKS), JSON.stringify(ATTACKED_INPUT), everything);
setImmediate(() => process.stdout.write(String(inspector.result())));
