import type { Scope } from '../context.ts';
import { BUILT_INS } from '../names.ts';

/** A part of a text that its author has probably meant as an expression. */
export interface Likeness {
  /** The index in the text. */
  index: number;
  advice: string;
}

/** Variables of n8n, which authors write as paths. */
const FOREIGN_VARIABLES: ReadonlySet<string> = new Set(['json', 'node']);
/** A path as a whole text, such as `$input.items[0].id`. */
const PATH = /^\$(\w*)(?=[.[]|$)(?:\.[\w`*]+|\[[^[\]]{0,40}\])*$/;
/** A call of a function as a whole text, such as `$sum(prices)`. */
const CALL = /^\$(\w+)\([^\n]*\)$/;
/** A path in brackets: `$ { $.a }`, `$( $.a )` and `{$.a}`. */
const BRACKETS =
  /(?:\$[ \t]+\{|\$\(|(?<!\$)\{)[ \t]*\$(?:\.[A-Za-z_`]|([A-Za-z]\w{0,64})(?![\w(]))[^(){}\n]{0,200}[)}]/g;
/** A path of jq as a whole text, such as `.items[].id` and `.items | length`. */
const JQ = /^\.(\w*)((?:\[[^[\]]{0,40}\]|\.\w+)*)\s*(\|[^|].*)?$/;
/** A variable with a member inside a sentence. Text with signs of a programming language is no sentence. */
const IN_SENTENCE = /\$(?:input|context|steps|run|properties)\.[A-Za-z_`]/;
const SENTENCE = /^[^;{}()=<>|\\\n]*$/;

/** Words that texts begin with after a dot: ends of file names, hidden files and domains. */
const DOT_WORDS: ReadonlySet<string> = new Set(
  `avi bak bashrc bin bmp cfg co com conf cpp css csv d dat db de dev dll doc docker dockerignore
  docx dmg edu env eslintrc eu exe gif git gitattributes github gitignore gov gz htm html ico ics
  ini io iso jar java jpeg jpg js json jsonl jsx key lock log md min mjs mov mp3 mp4 net npmrc odt
  org pdf pem php png ppt pptx py rar rb rs rtf sh spec sql sqlite ssh svg tar test tgz tif tiff
  toml ts tsv tsx txt uk vscode wav webm webp xls xlsx xml yaml yml zip zst`.split(/\s+/),
);

/**
 * Finds the part of a text without `${ }` that looks like an expression; null when the text is more likely prose. A missed
 * hint is better than a hint at prices, shell text or regular expressions.
 */
export function findLikeness(text: string, scope: Scope, isQuoted: boolean): Likeness | null {
  return (
    findTemplate(text) ??
    findBrackets(text, scope) ??
    findPath(text.trim(), scope) ??
    findJq(text.trim(), isQuoted) ??
    findInSentence(text)
  );
}

function findTemplate(text: string): Likeness | null {
  const index = text.indexOf('{{');
  if (index === -1 || text.indexOf('}}', index) === -1) return null;
  return { index, advice: `"{{ }}" is text here: an expression is \${ ... } in quotes` };
}

/** An expression in brackets that are not quite `${ }`. */
function findBrackets(text: string, scope: Scope): Likeness | null {
  for (const { index, 0: part, 1: name } of text.matchAll(BRACKETS)) {
    if (name !== undefined && !scope.has(name)) continue;
    const inner = part.replace(/^\$?\s*[({]\s*|\s*[)}]$/g, '');
    const shown = inner.length > LONGEST_SHOWN ? '...' : inner;
    return { index, advice: `this is text: an expression is written \${ ${shown} }` };
  }
  return null;
}

function findPath(text: string, scope: Scope): Likeness | null {
  const name = PATH.exec(text)?.[1];
  const isPath =
    name !== undefined &&
    (name === '' ? text.length > 1 : scope.has(name) || isForeign(name, text));
  const isCall = BUILT_INS.has(CALL.exec(text)?.[1] ?? '');
  return isPath || isCall ? { index: 0, advice: wrapAdvice(text) } : null;
}

const isForeign = (name: string, text: string): boolean =>
  FOREIGN_VARIABLES.has(name) && text.length > name.length + 1;

function findJq(text: string, isQuoted: boolean): Likeness | null {
  const match = JQ.exec(text);
  if (!match || text === '.') return null;
  const [, first = '', rest = '', pipe] = match;
  const isBare = rest === '' && pipe === undefined;
  if (DOT_WORDS.has(first.toLowerCase()) || /^\d/.test(first)) return null;
  // A quoted word after a dot is meant as text, and two dots are no path.
  if ((isBare && (isQuoted || first === '')) || (first === '' && !rest.startsWith('[')))
    return null;
  return {
    index: 0,
    advice: `this is text: an expression is \${ ... }, and $ is the input, such as \${ $.x }`,
  };
}

function findInSentence(text: string): Likeness | null {
  const index = SENTENCE.test(text) ? text.search(IN_SENTENCE) : -1;
  return index === -1 ? null : { index, advice: `this is text: an expression in it is \${ ... }` };
}

const wrapAdvice = (text: string): string =>
  text.length > LONGEST_SHOWN
    ? `this is text: an expression is \${ ... }`
    : `this is text: for its value write \${ ${text} }`;

/** The most characters of a text that the advice repeats; a longer text is left out. */
const LONGEST_SHOWN = 60;
