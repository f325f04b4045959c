/** Freezes the objects that all evaluations of a realm share. */

/** Freezes an object or function and all objects that it references, apart from the prototypes of constructors. */
export function freezeTree(tree: object): void {
  const found = new Set<object>([tree]);
  for (const object of found) {
    if (Object.isFrozen(object)) continue;
    Object.freeze(object);
    const prototype = Reflect.getPrototypeOf(object);
    if (prototype && !Object.hasOwn(prototype, 'constructor')) found.add(prototype);
    for (const member of membersOf(object)) found.add(member);
  }
}

/** Objects whose prototypes are reachable by syntax only and from no global. */
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

/** Globals that no code in a realm needs. They are deleted. */
const NEEDLESS = ['console', 'gc', 'WebAssembly', 'SharedArrayBuffer', 'Atomics'];

/** Freezes every object and function of the language itself. Objects that are made later are not frozen. */
export function freezeIntrinsics(): void {
  for (const name of NEEDLESS) Reflect.deleteProperty(globalThis, name);
  const found = new Set<object>([globalThis, ...HIDDEN]);
  for (const object of found) {
    const prototype = Reflect.getPrototypeOf(object);
    if (prototype) found.add(prototype);
    for (const member of membersOf(object)) found.add(member);
  }
  for (const object of found) Object.freeze(object);
}

function membersOf(object: object): object[] {
  const values: unknown[] = [];
  for (const key of Reflect.ownKeys(object)) {
    const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key) ?? {};
    values.push(value, get, set);
  }
  return values.filter(isObject);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'function' || (typeof value === 'object' && value !== null);
