import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { openapiDocument } from '../../../services/api/openapi/document.ts';

const SCRIPT = readFileSync(
  join(import.meta.dirname, '../../../services/api/docs/start.js'),
  'utf8',
);

/** A response as Swagger UI hands it to the interceptor. */
interface Loaded {
  url: string;
  status: number;
  text: string;
}
interface Settings {
  url: string;
  persistAuthorization: boolean;
  responseInterceptor: (response: Loaded) => Loaded;
  plugins: (() => { fn: { opsFilter: (tags: Tags, phrase: string) => Tags } })[];
}
type Operation = Node;
type Tags = FakeMap<FakeMap<FakeList>>;

/** The parts of Immutable's collections that the script uses. */
class FakeMap<V> {
  readonly entries: ReadonlyMap<string, V>;
  constructor(entries: Iterable<readonly [string, V]>) {
    this.entries = new Map(entries);
  }
  get(key: string): V | undefined {
    return this.entries.get(key);
  }
  set(key: string, value: V): FakeMap<V> {
    return new FakeMap([...this.entries, [key, value]]);
  }
  map(change: (value: V, key: string) => V): FakeMap<V> {
    return new FakeMap([...this.entries].map(([key, value]) => [key, change(value, key)]));
  }
  filter(keeps: (value: V) => boolean): FakeMap<V> {
    return new FakeMap([...this.entries].filter(([, value]) => keeps(value)));
  }
}
class Node {
  readonly value: Record<string, unknown>;
  constructor(value: Record<string, unknown>) {
    this.value = value;
  }
  get(key: string): unknown {
    return this.value[key];
  }
  getIn(path: string[]): unknown {
    return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.value);
  }
}
class FakeList {
  readonly items: readonly Operation[];
  constructor(items: readonly Operation[]) {
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  filter(keeps: (item: Operation) => boolean): FakeList {
    return new FakeList(this.items.filter(keeps));
  }
}

function settingsAt(href: string): Settings {
  const made: Settings[] = [];
  const window = {
    SwaggerUIBundle: (settings: Settings) => made.push(settings),
    addEventListener: (_name: string, listener: () => void) => listener(),
  };
  runInContext(SCRIPT, createContext({ window, location: { href }, URL, document: {} }));
  const [settings] = made;
  if (!settings) throw new Error('the script starts no reference');
  return settings;
}

describe('the address of the reference', () => {
  const settings = settingsAt('https://proxy.example/app/docs#/issues/issues.list');

  it('is the one that the browser has, whatever the document says', () => {
    const { url } = settings;
    expect(url).toBe('https://proxy.example/app/openapi.json');
    const text = JSON.stringify({ openapi: '3.1.0', servers: [{ url: 'https://service.test' }] });
    const loaded = settings.responseInterceptor({ url, status: 200, text });
    expect(JSON.parse(loaded.text)).toEqual({
      openapi: '3.1.0',
      servers: [{ url: 'https://proxy.example/app' }],
    });
  });

  it('leaves other answers alone', () => {
    const answer = { url: 'https://proxy.example/app/issues', status: 200, text: 'no JSON' };
    expect(settings.responseInterceptor({ ...answer })).toEqual(answer);
    const refused = { url: settings.url, status: 429, text: '{}' };
    expect(settings.responseInterceptor({ ...refused })).toEqual(refused);
  });
});

it('does not store tokens and keys in the browser', () => {
  expect(settingsAt('http://127.0.0.1:3000/docs').persistAuthorization).toBe(false);
});

describe('the filter', () => {
  const { paths } = openapiDocument() as {
    paths: Record<string, Record<string, { tags: [string]; operationId: string }>>;
  };
  const groups = new Map<string, Operation[]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag] = operation.tags;
      const made = new Node({ path, method, operation: operation as Record<string, unknown> });
      groups.set(tag, [...(groups.get(tag) ?? []), made]);
    }
  }
  const all: Tags = new FakeMap(
    [...groups].map(([tag, list]) => [
      tag,
      new FakeMap([['operations', new FakeList(list)] as const]),
    ]),
  );
  const find = (phrase: string): unknown[] => {
    const [plugin] = settingsAt('http://127.0.0.1:3000/docs').plugins;
    const found = plugin?.().fn.opsFilter(all, phrase);
    return [...(found?.entries.values() ?? [])].flatMap((group) =>
      (group.get('operations')?.items ?? []).map((one) => one.getIn(['operation', 'operationId'])),
    );
  };

  it.each([
    ['a path', '/health/ready', 'api.ready'],
    ['a name', 'issues.createExternal', 'issues.createExternal'],
    ['words of the summary in any case', 'REFERENCE offline internet', undefined],
    ['words of several parts', 'delete audit', undefined],
    ['method and path', 'delete /workspaces/{id}', 'workspaces.remove'],
    ['words of the summary', 'whether process runs', 'api.live'],
  ])('finds operations by %s', (_what, phrase, expected) => {
    const found = find(phrase);
    if (expected === undefined) expect(found).toEqual([]);
    else expect(found).toContain(expected);
    expect(found.length).toBeLessThan(5);
  });

  it('shows only the groups with an operation that matches, and all of a group by its name', () => {
    expect(find('recordings').length).toBeGreaterThan(8);
    expect(find('no such thing')).toEqual([]);
  });
});
