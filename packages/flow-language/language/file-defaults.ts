import type { Json } from '../plan.ts';
import { defaultDocument } from './document.ts';
import { Faults } from './faults.ts';
import { toJson } from './tree.ts';
import { readYaml } from './yaml.ts';

type JsonMap = { [key: string]: Json };

/**
 * Returns the file as plain data with the defaults of `document` and `evaluate`, as other tools for the DSL expect.
 * Returns null when the text is not a YAML map.
 */
export function addDefaults(
  text: string,
  { name = 'flow' }: { name?: string } = {},
): JsonMap | null {
  const root = readYaml(text, new Faults(text));
  if (root?.kind !== 'map') return null;
  const flow = toJson(root) as JsonMap;
  return {
    ...flow,
    document: { ...defaultDocument(name), ...asMap(flow.document) },
    evaluate: { language: 'jsonata', ...asMap(flow.evaluate) },
  };
}

function asMap(value: Json | undefined): JsonMap {
  return value && typeof value === 'object' && !Array.isArray(value) ? value : {};
}
