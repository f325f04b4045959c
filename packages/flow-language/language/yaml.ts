import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser } from 'yaml';
import type { Faults } from './faults.ts';
import { LIMITS, TOO_DEEP, TOO_MANY_NODES } from './limits.ts';
import type { Node } from './tree.ts';
import { NEVER_ALLOWED, ONLY_IN_QUOTES, reportCharacters } from './yaml-characters.ts';
import { TreeBuilder } from './yaml-tree.ts';

/** The lexeme that `yaml` emits directly before the lexeme of a scalar. */
const SCALAR = '\u001F';

/** Reads YAML 1.2 (core schema) as a tree. Returns null when faults leave nothing to check. */
export function readYaml(text: string, faults: Faults): Node | null {
  if (!isFitForYaml(text, faults)) return null;
  const tokens = tokenise(text, faults);
  const document = tokens && compose(tokens, text, faults);
  if (!document) return null;
  for (const error of document.errors) {
    faults.add(error.pos[0], 'YAML_SYNTAX', syntaxMessage(error.code, error.message));
  }
  if (document.contents === null || isEmpty(document)) {
    faults.add(0, 'EMPTY_FILE', 'The file is empty; a flow needs at least "do".');
    return null;
  }
  return new TreeBuilder(text, faults).build(document.contents);
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

/**
 * Tokenises the file and stops as soon as the file is over a limit, because composing the tokens costs far more than
 * counting lexemes.
 */
function tokenise(text: string, faults: Faults): CST.Token[] | null {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let values = 0;
  let marks = 0;
  let previous = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === SCALAR || lexeme.startsWith('*')) values += 1;
    else if (previous !== SCALAR && MARK.test(lexeme)) marks += 1;
    const isQuoted = previous !== SCALAR && /^["']/.test(lexeme);
    if (!isQuoted) reportCharacters(lexeme, ONLY_IN_QUOTES, parser.offset, faults);
    previous = lexeme;
    // Each value may have a key, and a mark before the key, between key and value, and after the value.
    if (values > 2 * LIMITS.nodes || marks > 3 * LIMITS.nodes) {
      faults.add(parser.offset, 'TOO_MANY_NODES', TOO_MANY_NODES);
      return null;
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > LIMITS.depth + 2) {
      faults.add(parser.offset, 'TOO_DEEP', TOO_DEEP);
      return null;
    }
  }
  tokens.push(...parser.end());
  return tokens;
}

function compose(tokens: CST.Token[], text: string, faults: Faults): Document.Parsed | null {
  const composer = new Composer<ParsedNode>({
    version: '1.2',
    schema: 'core',
    merge: false,
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
  const [document, second] = composer.compose(tokens, true, text.length);
  if (second) {
    const message = 'The file has more than one YAML document; a flow is one.';
    faults.add(second.range[0], 'MULTIPLE_DOCUMENTS', message);
  }
  return document ?? null;
}

function isEmpty({ contents, errors }: Document.Parsed): boolean {
  if (errors.length > 0 || !contents || !('value' in contents)) return false;
  return contents.value === null && contents.range[0] === contents.range[1];
}

function syntaxMessage(code: string, message: string): string {
  if (code === 'TAB_AS_INDENT') return 'YAML is indented with spaces; there is a tab here.';
  return `This isn't valid YAML: ${message}`;
}
