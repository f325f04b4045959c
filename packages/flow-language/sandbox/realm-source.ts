/** The source of realms: JSONata with its patches, and the modules of the evaluator. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Patch } from './jsonata-patches/patch.ts';
import { PATCHES } from './jsonata-patches.ts';
import type { RealmSource } from './protocol.ts';

const JSONATA = createRequire(import.meta.url).resolve('jsonata');
/** The SHA-256 of JSONata 2.2.2, for which the patches were written. With any other file no child starts. */
const JSONATA_SHA256 = '9c2a35f4d895797f123f65c7f9a4ce16b3a295d209e0f3f225a0c3bae1bd9049';
const REALM = join(import.meta.dirname, 'child', 'realm');
/** The modules of the functions that the patched JSONata calls. */
const BUILT_INS = ['base64.ts', 'code-points.ts', 'instants.ts'].map((name) => join(REALM, name));

let source: RealmSource | undefined;

/** Returns the source, which is read once and is the same for all children. */
export function realmSource(): RealmSource {
  source ??= {
    kind: 'realm-source',
    jsonata: patchedJsonata(),
    evaluator: bundle(...BUILT_INS, join(REALM, 'evaluator.ts')),
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
 * Joins modules and all modules that they import into one text without imports. All names are in one scope: a name in
 * two files, or an import under another name, is an error when a realm is made.
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
  texts.delete(path); // so that `set` moves the module behind the modules that it imports
  texts.set(path, text.replaceAll(IMPORT, '').replaceAll(/^export /gm, ''));
}
