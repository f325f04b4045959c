/** Freezes what all evaluations of a realm share. */

/** An object and all that hangs from it. */
export function freezeTree(tree: unknown): void {
  if (typeof tree !== 'object' || tree === null || Object.isFrozen(tree)) return;
  for (const member of Object.values(Object.freeze(tree))) freezeTree(member);
}

/** Reachable by syntax only, from no global. */
const HIDDEN = [
  [][Symbol.iterator](),
  ''[Symbol.iterator](),
  ''.matchAll(/x/g),
  new Map().entries(),
  new Set().entries(),
  (function* () {})(),
  (async function* () {})(),
  async () => {},
  [].values().map(String),
];

/** Globals that nothing here needs. */
const NEEDLESS = ['console', 'gc', 'WebAssembly', 'SharedArrayBuffer', 'Atomics'];

/** Every object and function that the language itself brings. Nothing that is made later is frozen. */
export function freezeIntrinsics(): void {
  for (const name of NEEDLESS) Reflect.deleteProperty(globalThis, name);
  const found = new Set<object>([globalThis, ...HIDDEN]);
  for (const object of found) {
    for (const neighbour of neighboursOf(object)) found.add(neighbour);
  }
  for (const object of found) Object.freeze(object);
}

function neighboursOf(object: object): object[] {
  const values: unknown[] = [Reflect.getPrototypeOf(object)];
  for (const key of Reflect.ownKeys(object)) {
    const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key) ?? {};
    values.push(value, get, set);
  }
  return values.filter(isObject);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'function' || (typeof value === 'object' && value !== null);
