/** What a realm is made of in a child: JSONata with its patches, and the evaluator's own modules. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Patch } from './jsonata-patches/patch.ts';
import { PATCHES } from './jsonata-patches.ts';
import type { RealmSource } from './protocol.ts';

const JSONATA = createRequire(import.meta.url).resolve('jsonata');
/** Of 2.2.2, which the patches were written for. */
const JSONATA_SHA256 = '9c2a35f4d895797f123f65c7f9a4ce16b3a295d209e0f3f225a0c3bae1bd9049';
const REALM = join(import.meta.dirname, 'child', 'realm');

let source: RealmSource | undefined;

/** The same for all children; read once. */
export function realmSource(): RealmSource {
  source ??= {
    kind: 'realm-source',
    jsonata: patchedJsonata(),
    evaluator: bundle(join(REALM, 'base64.ts'), join(REALM, 'evaluator.ts')),
  };
  return source;
}

function patchedJsonata(): string {
  const original = readFileSync(JSONATA, 'utf8');
  const found = createHash('sha256').update(original).digest('hex');
  if (found !== JSONATA_SHA256) throw new Error(`jsonata is another one: ${found}`);
  return PATCHES.reduce(apply, original);
}

function apply(text: string, { find, replace }: Patch): string {
  const at = text.indexOf(find);
  if (at === -1 || text.includes(find, at + 1)) {
    throw new Error(`a patch of jsonata does not fit: ${find}`);
  }
  return text.slice(0, at) + replace + text.slice(at + find.length);
}

/**
 * Modules and all that they import, as one text. Imports of one another are dropped, since all names are in one
 * scope: a name of two files, or an import under another name, is an error as soon as a child starts.
 */
function bundle(...entries: string[]): string {
  const texts = new Map<string, string>();
  for (const entry of entries) add(entry, texts);
  return [...texts.values()].join('\n');
}

const IMPORT = /^import (type )?[^;]*? from '([^']+)';$/gm;

function add(path: string, texts: Map<string, string>): void {
  if (texts.has(path)) return;
  const text = readFileSync(path, 'utf8');
  texts.set(path, '');
  for (const [, isType, name = ''] of text.matchAll(IMPORT)) {
    if (!isType && name.startsWith('.')) add(resolve(path, '..', name), texts);
  }
  texts.delete(path); // behind those that it imports
  texts.set(path, text.replaceAll(IMPORT, '').replaceAll(/^export /gm, ''));
}
