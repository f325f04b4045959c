import type { Plan } from '../plan.ts';
import type { Context } from './context.ts';
import { DOCUMENT_NAME, DOCUMENT_VERSION } from './names.ts';
import { readChoice, readMatching } from './scalars.ts';
import { keys, readFields } from './shape.ts';
import type { Node } from './tree.ts';

const DOCUMENT_KEYS = keys({ optional: 'dsl namespace name version' });

/** Returns the default of `document`. */
export function defaultDocument(name: string): Plan['document'] {
  return { dsl: '1.0.0', namespace: 'workspace', name, version: '1.0.0' };
}

export function readDocument(node: Node, name: string, context: Context): Plan['document'] {
  const defaults = defaultDocument(name);
  const fields = readFields(node, '"document"', DOCUMENT_KEYS, context);
  const read = (key: keyof Plan['document'], pattern: RegExp, rule: string) =>
    fields?.read(key, (value) =>
      readMatching(value, `"document.${key}"`, pattern, rule, context),
    ) ?? defaults[key];
  const nameRule = 'letters, digits and inner hyphens, at most 63 characters';
  return {
    dsl: read('dsl', /^1\.0\.0$/, 'the version of the DSL here, "1.0.0"'),
    namespace: read('namespace', DOCUMENT_NAME, nameRule),
    name: read('name', DOCUMENT_NAME, nameRule),
    version: read('version', DOCUMENT_VERSION, 'a semantic version such as "1.0.0"'),
  };
}

/** Checks `evaluate: { language: jsonata }`. JSONata is the only supported language. */
export function readEvaluate(node: Node, context: Context): void {
  const fields = readFields(node, '"evaluate"', keys({ optional: 'language' }), context);
  fields?.read('language', (value) =>
    readChoice(value, '"evaluate.language"', ['jsonata'], context),
  );
}
