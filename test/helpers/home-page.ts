import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { waitFor } from './wait.ts';

const SCRIPT = readFileSync(join(import.meta.dirname, '../../services/api/home/home.js'), 'utf8');

type Listener = (event: object) => unknown;

/** An element of a page, as far as the script of `GET /` uses one. An element for HTML text is not there. */
class FakeElement {
  id = '';
  tag: string;
  type = '';
  value = '';
  checked = false;
  disabled = false;
  hidden = false;
  textContent = '';
  readonly style = {};
  children: FakeElement[] = [];
  readonly listeners = new Map<string, Listener>();
  #parent: FakeElement | undefined;

  constructor(tag: string) {
    this.tag = tag;
  }
  append(...children: FakeElement[]) {
    for (const child of children) child.#parent = this;
    this.children.push(...children);
  }
  replaceChildren(...children: FakeElement[]) {
    this.children = [];
    this.append(...children);
  }
  remove() {
    const siblings = this.#parent?.children ?? [];
    siblings.splice(siblings.indexOf(this), 1);
  }
  addEventListener(name: string, listener: Listener) {
    this.listeners.set(name, listener);
  }
  find(matches: (one: FakeElement) => boolean): FakeElement | undefined {
    if (matches(this)) return this;
    return this.children.map((child) => child.find(matches)).find(Boolean);
  }
}

/** The page `GET /` of the service at `base`, opened by a link with that fragment. */
export class HomePage {
  readonly section = new FakeElement('section');
  /** The addresses that the script put into the history. */
  readonly history: string[] = [];

  constructor(base: string, fragment: string) {
    this.section.hidden = true;
    const context = {
      URL,
      window: new FakeElement('window'),
      location: { hash: fragment, pathname: '/' },
      history: {
        replaceState: (...[, , url]: [unknown, unknown, string]) => this.history.push(url),
      },
      document: {
        createElement: (tag: string) => new FakeElement(tag),
        getElementById: () => this.section,
      },
      fetch: (path: string, init: RequestInit) => fetch(`${base}/${path}`, init),
    };
    runInContext(SCRIPT, createContext(context));
  }

  get message(): string {
    return this.section.find(({ tag }) => tag === 'p')?.textContent ?? '';
  }

  /** The names of the inputs that a person can fill in. */
  get inputs(): string[] {
    const names: string[] = [];
    this.section.find(({ tag, disabled, id }) => {
      if (tag === 'input' && !disabled) names.push(id);
      return false;
    });
    return names;
  }

  /** Fills in the inputs and sends the form. Resolves with what the page then says. */
  async send(values: Record<string, string | true>): Promise<string> {
    const form = this.section.find(({ tag }) => tag === 'form');
    for (const [name, value] of Object.entries(values)) {
      const input = form?.find(({ id }) => id === name);
      if (!input) throw new Error(`there is no input ${name}`);
      Object.assign(input, value === true ? { checked: true } : { value });
      form?.listeners.get('change')?.({});
    }
    form?.listeners.get('submit')?.({ preventDefault: () => undefined });
    await waitFor('the answer', async () => this.message !== 'Please wait.');
    return this.message;
  }
}
