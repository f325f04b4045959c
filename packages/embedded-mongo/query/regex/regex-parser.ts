import { classAt, escapeAt, invalid, notShared } from './regex-escapes.ts';
import type { ParsedRegex, RegexNode } from './regex-syntax.ts';

const CLASS_OF: Record<string, RegexNode> = {
  '.': { kind: 'any' },
  '^': { kind: 'anchor', sign: '^' },
  $: { kind: 'anchor', sign: '$' },
};

/** The largest number in a quantifier of PCRE. */
const MOST = 65_535;

/** The deepest nesting of groups. PCRE refuses deeper ones too. */
const MAX_DEPTH = 250;

/** Parses a regular expression of PCRE2 in UTF mode, by recursive descent. */
class Parser {
  private readonly pattern: string;
  private readonly extended: boolean;
  private at = 0;
  private depth = 0;
  private groups = 0;
  private readonly names = new Map<string, number>();

  constructor(pattern: string, extended: boolean) {
    this.pattern = pattern;
    this.extended = extended;
  }

  parse(): ParsedRegex {
    const root = this.choice();
    if (this.at < this.pattern.length) invalid('unmatched closing parenthesis');
    return { root, groups: this.groups, names: this.names };
  }

  private choice(): RegexNode {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    return options.length === 1 ? (options[0] as RegexNode) : { kind: 'choice', options };
  }

  private sequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (;;) {
      this.skipComments();
      const c = this.pattern[this.at];
      if (c === undefined || c === '|' || c === ')') break;
      parts.push(this.quantified(this.atom(c)));
    }
    return parts.length === 1 ? (parts[0] as RegexNode) : { kind: 'sequence', parts };
  }

  /** Skips what the option x makes of no meaning: white space and comments. */
  private skipComments(): void {
    if (!this.extended) return;
    const rest = /(?:[\t\n\v\f\r \u0085\u200e\u200f\u2028\u2029]|#[^\n]*)*/y;
    rest.lastIndex = this.at;
    this.at += rest.exec(this.pattern)?.[0].length ?? 0;
  }

  private take(c: string): boolean {
    if (this.pattern[this.at] !== c) return false;
    this.at++;
    return true;
  }

  private atom(c: string): RegexNode {
    if (c === '(') return this.group();
    if (c === '[') {
      const { used, negated, parts } = classAt(this.pattern, this.at);
      this.at += used;
      return { kind: 'class', negated, parts };
    }
    if (c === '\\') return this.escape();
    if (this.quantifier()) invalid('quantifier does not follow a repeatable item');
    const code = this.pattern.codePointAt(this.at) as number;
    this.at += code > 0xffff ? 2 : 1;
    return Object.hasOwn(CLASS_OF, c) ? (CLASS_OF[c] as RegexNode) : { kind: 'character', code };
  }

  private escape(): RegexNode {
    const read = escapeAt(this.pattern, this.at, this.groups);
    this.at += read.used;
    if ('code' in read) return { kind: 'character', code: read.code };
    if ('type' in read) return { kind: 'class', negated: false, parts: [read.type] };
    if ('boundary' in read) return { kind: 'anchor', sign: read.boundary };
    return { kind: 'reference', group: read.reference };
  }

  private group(): RegexNode {
    const opening = /\((?:\?(?::|<?[=!]|<([A-Za-z_]\w{0,31})>)|(?![?*]))/y;
    opening.lastIndex = this.at;
    const opened = opening.exec(this.pattern);
    if (!opened) return notShared(`The group ${this.pattern.slice(this.at, this.at + 4)}`);
    this.at += opened[0].length;
    const [sign, name] = opened;
    const look = /[=!]$/.test(sign);
    const capture = look || sign === '(?:' ? undefined : ++this.groups;
    if (name !== undefined && capture !== undefined) this.addName(name, capture);
    if (++this.depth > MAX_DEPTH) invalid('parentheses are too deeply nested');
    const body = this.choice();
    this.depth--;
    if (!this.take(')')) invalid('missing closing parenthesis');
    if (!look) return { kind: 'group', capture, body };
    return { kind: 'look', behind: sign.includes('<'), negated: sign.endsWith('!'), body };
  }

  private addName(name: string, group: number): void {
    if (this.names.has(name)) invalid('two named subpatterns have the same name');
    this.names.set(name, group);
  }

  private quantified(body: RegexNode): RegexNode {
    this.skipComments();
    const quantifier = this.quantifier();
    if (!quantifier) return body;
    if (body.kind === 'anchor' || body.kind === 'look') notShared('A repeated assertion');
    const lazy = this.take('?');
    if (this.take('+')) notShared('A possessive quantifier');
    this.skipComments();
    if (this.quantifier()) invalid('quantifier does not follow a repeatable item');
    return { kind: 'repeat', body, ...quantifier, lazy };
  }

  /** Reads a quantifier, if there is one. `{` without numbers is a character. */
  private quantifier(): { least: number; most: number } | undefined {
    if (this.take('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.take('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.take('?')) return { least: 0, most: 1 };
    const braces = /\{(\d+)(,(\d*))?\}/y;
    braces.lastIndex = this.at;
    const found = braces.exec(this.pattern);
    if (!found) return undefined;
    this.at += found[0].length;
    const least = Number(found[1]);
    const most = !found[2] ? least : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY;
    if (least > MOST || (most > MOST && most !== Number.POSITIVE_INFINITY))
      invalid('number too big in {} quantifier');
    if (least > most) invalid('numbers out of order in {} quantifier');
    return { least, most };
  }
}

export const parseRegex = (pattern: string, extended: boolean): ParsedRegex =>
  new Parser(pattern, extended).parse();
