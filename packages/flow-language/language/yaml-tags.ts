import { isMap, isScalar, isSeq, type ParsedNode, type Scalar } from 'yaml';

const CORE = 'tag:yaml.org,2002:';

/** The values of YAML's core types, as messages name them. */
const CORE_TYPES: ReadonlyMap<string, string> = new Map([
  ['str', 'a string'],
  ['int', 'a whole number'],
  ['float', 'a number'],
  ['bool', 'true or false'],
  ['null', 'null'],
  ['map', 'a map'],
  ['seq', 'a list'],
]);

/** Matches a whole number, which `yaml` takes for no `!!float`. */
const WHOLE_NUMBER = /^[-+]?\d+$/;

/** Returns a tag as authors write it, such as `!!int`. */
export function shortTag(tag: string): string {
  return tag.replace(CORE, '!!');
}

/** Tells whether a tag is of YAML's own, such as `!!int` and `!!omap`. */
export function isTypeOfYaml(tag: string): boolean {
  return tag.startsWith(CORE);
}

export function isCoreTag(tag: string): boolean {
  return tag.startsWith(CORE) && CORE_TYPES.has(tag.slice(CORE.length));
}

/** Gives a value the type of its core tag. Returns the value that the tag needs, for a message; null where it fits. */
export function applyTag(source: ParsedNode, tag: string): string | null {
  const type = tag.slice(CORE.length);
  if (isScalar(source) && type === 'float' && WHOLE_NUMBER.test(source.source)) {
    source.value = Number(source.source);
  }
  return fits(source, type) ? null : (CORE_TYPES.get(type) ?? 'another value');
}

function fits(source: ParsedNode, type: string): boolean {
  if (isMap(source)) return type === 'map';
  if (isSeq(source)) return type === 'seq';
  const { value } = source as Scalar.Parsed;
  switch (type) {
    case 'str':
      return typeof value === 'string';
    case 'int':
      return Number.isInteger(value);
    case 'float':
      return typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    default:
      return false;
  }
}
