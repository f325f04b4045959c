import type { Json, Template } from '../plan.ts';

const known = new WeakMap<Template, { value: Json } | null>();

/** Returns the value of a template without expressions, which needs no sandbox; null for a template with expressions. */
export function literalOf(template: Template): { value: Json } | null {
  let literal = known.get(template);
  if (literal === undefined) {
    literal = find(template);
    known.set(template, literal);
  }
  return literal;
}

function find(template: Template): { value: Json } | null {
  switch (template.kind) {
    case 'literal':
      return { value: template.value };
    case 'expression':
      return null;
    case 'text':
      return template.parts.every((part) => typeof part === 'string')
        ? { value: template.parts.join('') }
        : null;
    case 'list': {
      const items = template.items.map(literalOf).filter((item) => item !== null);
      return items.length < template.items.length
        ? null
        : { value: items.map(({ value }) => value) };
    }
    case 'body':
      return literalOf(template.template);
    case 'map':
      return findMap(template.entries);
  }
}

function findMap(entries: readonly (readonly [string, Template])[]): { value: Json } | null {
  const members: [string, Json][] = [];
  for (const [key, member] of entries) {
    const literal = literalOf(member);
    if (literal === null) return null;
    members.push([key, literal.value]);
  }
  return { value: Object.fromEntries(members) };
}
