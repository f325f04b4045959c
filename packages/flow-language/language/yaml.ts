import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser } from 'yaml';
import type { Faults } from './faults.ts';
import { LIMITS, TOO_DEEP, TOO_MANY_NODES } from './limits.ts';
import type { Node } from './tree.ts';
import { NEVER_ALLOWED, ONLY_IN_QUOTES, reportCharacters } from './yaml-characters.ts';
import { repairIndentation } from './yaml-indentation.ts';
import { applyRepairs, findRepairs } from './yaml-repair/repair.ts';
import { TreeBuilder } from './yaml-tree.ts';

/** The lexeme that `yaml` emits directly before the lexeme of a scalar. */
const SCALAR = '\u001F';

/** UTF-16 code units that are parsed again after repairs, in all, and the parses that a file of any size gets. */
const REPARSED = 128 * 1024;
const LEAST_PARSES = 2;
const MOST_PARSES = 20;
/** Errors of all parses of a file, after which the file is not parsed again. */
const MOST_ERRORS = 1_000;

/**
 * Reads YAML 1.2 (core schema) as a tree. Mistakes in the syntax that are understood are reported and taken out of the
 * way, so that the rest of the file is read. Returns null when faults leave nothing to check.
 */
export function readYaml(text: string, faults: Faults): Node | null {
  if (!isFitForYaml(text, faults)) return null;
  const most = Math.floor(REPARSED / Math.max(1, text.length));
  const parses = Math.min(MOST_PARSES, Math.max(LEAST_PARSES, most));
  let source = repairIndentation(text, faults);
  let document: Document.Parsed | null = null;
  let tags: readonly number[] = [];
  let errors = 0;
  for (let parse = 0; parse < parses && errors <= MOST_ERRORS; parse += 1) {
    const lexed = tokenise(source, faults);
    document = lexed && compose(lexed.tokens, source, faults);
    if (!lexed || !document) return null;
    tags = lexed.tags;
    errors += document.errors.length;
    const repairs = findRepairs(source, document.errors, text);
    if (repairs.length === 0) break;
    for (const { at, message, range, isLossy } of repairs) {
      faults.addRepaired(at, message, range, isLossy);
    }
    source = applyRepairs(source, repairs);
  }
  if (!document) return null;
  // Errors behind the first error may follow from the first error.
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (error) {
    faults.addSyntaxError(skipIndentation(text, error.pos[0]), syntaxMessage(error.message));
  }
  if (document.contents === null || isEmpty(document)) {
    faults.add(0, 'EMPTY_FILE', 'The file is empty; a flow needs at least "do".');
    return null;
  }
  return new TreeBuilder(source, tags, faults).build(document.contents);
}

function isFitForYaml(text: string, faults: Faults): boolean {
  if (Buffer.byteLength(text) > LIMITS.textBytes) {
    const limit = `${LIMITS.textBytes / 1024} KiB of UTF-8`;
    faults.add(0, 'TEXT_TOO_LARGE', `The file is larger than ${limit}.`);
    return false;
  }
  return reportCharacters(text, NEVER_ALLOWED, 0, faults) === 0;
}

/** Matches lexemes that are no values, such as separators, brackets, tags and anchors. */
const MARK = /^[-,:?&![{]/;

/** The tokens of a file, and the offsets of its tags, which ascend: `yaml` keeps no offset of a tag. */
interface Lexed {
  tokens: CST.Token[];
  tags: number[];
}

/**
 * Tokenises the file and stops as soon as the file is over a limit, because composing the tokens costs far more than
 * counting lexemes.
 */
function tokenise(text: string, faults: Faults): Lexed | null {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const tags: number[] = [];
  const hasRareCharacters = text.search(ONLY_IN_QUOTES) !== -1;
  let values = 0;
  let marks = 0;
  // Every dash and every colon has a value behind it, which may be empty.
  let places = 0;
  let previous = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === SCALAR || lexeme.startsWith('*')) values += 1;
    else if (previous !== SCALAR && MARK.test(lexeme)) {
      marks += 1;
      if (lexeme === '[' || lexeme === '{') values += 1;
      // A colon makes the value before it a key.
      if (lexeme === ':') values -= 1;
      if (lexeme === ':' || lexeme === '-') places += 1;
    }
    if (previous !== SCALAR && lexeme.startsWith('!')) tags.push(parser.offset);
    const isQuoted = previous !== SCALAR && /^["']/.test(lexeme);
    if (hasRareCharacters && !isQuoted)
      reportCharacters(lexeme, ONLY_IN_QUOTES, parser.offset, faults);
    previous = lexeme;
    // Each value may have a mark before its key, between key and value, and after the value.
    if (Math.max(values, places) > LIMITS.nodes || marks > 3 * LIMITS.nodes) {
      faults.add(parser.offset, 'TOO_MANY_NODES', TOO_MANY_NODES);
      return null;
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > LIMITS.depth + 2) {
      faults.add(parser.offset, 'TOO_DEEP', TOO_DEEP);
      return null;
    }
    const innermost = parser.stack.at(-1);
    if (innermost && isHugeMap(innermost)) {
      const message = `A map has more than ${MOST_KEYS} keys; at most ${LIMITS.keysInOneMap} are allowed.`;
      faults.add(innermost.offset, 'TOO_MANY_KEYS', message);
      return null;
    }
  }
  tokens.push(...parser.end());
  return { tokens, tags };
}

/** Keys of one map beyond which the file is refused at once. Up to here its other faults are reported as well. */
const MOST_KEYS = 2 * LIMITS.keysInOneMap;

function isHugeMap(token: CST.Token): boolean {
  if (token.type === 'block-map') return token.items.length > MOST_KEYS;
  const isFlowMap = token.type === 'flow-collection' && token.start.source === '{';
  return isFlowMap && token.items.length > MOST_KEYS;
}

function compose(tokens: CST.Token[], text: string, faults: Faults): Document.Parsed | null {
  const composer = new Composer<ParsedNode>({
    version: '1.2',
    schema: 'core',
    merge: false,
    // `yaml` would make other values of `!!omap`, `!!set` and the like, which TreeBuilder refuses.
    resolveKnownTags: false,
    // This check is quadratic in `yaml`. TreeBuilder checks the keys instead.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  for (const token of tokens) {
    if (token.type === 'directive' && !/^%YAML\s+1\.2\b/.test(token.source)) {
      faults.add(token.offset, 'YAML_DIRECTIVE', 'Only the directive "%YAML 1.2" is allowed.');
      return null;
    }
  }
  const [document, second] = withoutStacks(() => [...composer.compose(tokens, true, text.length)]);
  if (second) {
    const message = 'The file has more than one YAML document; a flow is one.';
    faults.add(second.range[0], 'MULTIPLE_DOCUMENTS', message);
  }
  return document ?? null;
}

/**
 * Runs a function whose errors need no stack: a hostile file has thousands, and stacks take most of the time. In a
 * child of the sandbox, whose intrinsics are frozen, errors have no stack at all.
 */
function withoutStacks<T>(work: () => T): T {
  if (Object.isFrozen(Error)) return work();
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function isEmpty({ contents, errors }: Document.Parsed): boolean {
  if (errors.length > 0 || !contents || !('value' in contents)) return false;
  return contents.value === null && contents.range[0] === contents.range[1];
}

/** Explanations of the parser's errors for authors, by a part of the errors' messages. */
const EXPLANATIONS: readonly (readonly [part: string, explanation: string])[] = [
  ['Tabs are not allowed', 'YAML is indented with spaces; there is a tab here.'],
  ['same column', 'This line is indented differently from the other lines of its map or list.'],
  [
    'Nested mappings are not allowed',
    'A key has a value on its own line and more below it: the next line is indented too far, or the value needs quotes.',
  ],
  ['on a single line', 'This line has no ":" behind a key, or is indented wrongly.'],
  [
    'need to be followed by map values',
    'This line has no ":" behind a key, or is indented wrongly.',
  ],
  ['on same line with key', 'A list begins on a line of its own: "- " can\'t stand behind a key.'],
  [
    'at node end',
    'The value has ended before this: it needs quotes, or the line is indented wrongly.',
  ],
];

function syntaxMessage(message: string): string {
  const known = EXPLANATIONS.find(([part]) => message.includes(part));
  return known ? known[1] : `This isn't valid YAML: ${message}.`;
}

/** Skips the indentation, because the author looks for the first character of the line. */
function skipIndentation(text: string, at: number): number {
  return at + (/^ */.exec(text.slice(at, at + LONGEST_INDENTATION))?.[0].length ?? 0);
}

/** Spaces that are skipped. */
const LONGEST_INDENTATION = 1_000;
