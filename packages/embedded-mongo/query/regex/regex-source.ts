import type { CharacterType, ClassPart, RegexNode } from './regex-syntax.ts';

/** PCRE's \s, which has no characters beyond ASCII. */
const BLANK = '\\t\\n\\v\\f\\r ';
const SYNTAX = /[\^$\\.*+?()[\]{}|/-]/;

interface SourceOptions {
  ignoreCase: boolean;
  /** Whether ^ and $ match at every line. */
  lines: boolean;
  /** Whether a dot matches a line's end. */
  dotAll: boolean;
  names: ReadonlyMap<string, number>;
}

/** Writes a regular expression in JavaScript's terms, for the flag u. */
export function sourceOf(node: RegexNode, options: SourceOptions): string {
  const inner = (child: RegexNode): string => sourceOf(child, options);
  switch (node.kind) {
    case 'character':
      return outside(node.code);
    case 'any':
      return options.dotAll ? '[^]' : '[^\\n]';
    case 'class':
      return classSource(node.parts, node.negated, options);
    case 'anchor':
      return anchorSource(node.sign, options);
    case 'group':
      return `(${node.capture === undefined ? '?:' : ''}${inner(node.body)})`;
    case 'look':
      return `(?${node.behind ? '<' : ''}${node.negated ? '!' : '='}${inner(node.body)})`;
    case 'sequence':
      return node.parts.map(inner).join('');
    case 'choice':
      return node.options.map(inner).join('|');
    case 'repeat': {
      const { least, most, lazy } = node;
      const end = most === Number.POSITIVE_INFINITY ? '' : most;
      return `${inner(node.body)}{${least},${end}}${lazy ? '?' : ''}`;
    }
    case 'reference': {
      const { group } = node;
      return `(?:\\${typeof group === 'number' ? group : options.names.get(group)})`;
    }
  }
}

/** Writes an anchor. JavaScript's own ^ and $ for lines know more ends of lines than PCRE. */
function anchorSource(sign: '^' | '$' | 'b' | 'B', options: SourceOptions): string {
  if (sign === '^') return options.lines ? '(?:^|(?<=\\n)(?!$))' : '^';
  if (sign === '$') return options.lines ? '(?=\\n|$)' : '(?=\\n?$)';
  return withCase(`\\${sign}`, options);
}

/** Writes a term without regard to the flag i: JavaScript's \w and \b would take ſ and the Kelvin sign with it. */
const withCase = (term: string, { ignoreCase }: SourceOptions): string =>
  ignoreCase ? `(?-i:${term})` : term;

const outside = (code: number): string => {
  const c = String.fromCodePoint(code);
  return SYNTAX.test(c) && c !== '-' ? `\\${c}` : c;
};

const inside = (code: number): string => {
  const c = String.fromCodePoint(code);
  return SYNTAX.test(c) ? `\\${c}` : c;
};

/** Writes a class. What JavaScript cannot have within brackets becomes an alternative beside them. */
function classSource(
  parts: readonly ClassPart[],
  negated: boolean,
  options: SourceOptions,
): string {
  const beside = (part: ClassPart): part is CharacterType =>
    part === 'S' || (options.ignoreCase && (part === 'w' || part === 'W'));
  const alternatives = parts
    .filter(beside)
    .map((type) => (type === 'S' ? `[^${BLANK}]` : withCase(`\\${type}`, options)));
  const brackets = parts
    .filter((part) => !beside(part))
    .map(partSource)
    .join('');
  if (alternatives.length === 0) return `[${negated ? '^' : ''}${brackets}]`;
  if (brackets !== '') alternatives.push(`[${brackets}]`);
  return negated ? `(?:(?!${alternatives.join('|')})[^])` : `(?:${alternatives.join('|')})`;
}

function partSource(part: ClassPart): string {
  if (part === 's') return BLANK;
  if (typeof part === 'string') return `\\${part}`;
  return part.from === part.to ? inside(part.from) : `${inside(part.from)}-${inside(part.to)}`;
}
