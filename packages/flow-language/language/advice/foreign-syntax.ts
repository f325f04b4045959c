import { maskLiterals } from './literal-mask.ts';

/** Syntax of another language, and JSONata's way to say the same. */
interface ForeignSyntax {
  pattern: RegExp;
  advice: string;
}

/** Matches the place before an operand: the start, an operator, a bracket or a separator. */
const BEFORE_OPERAND = String.raw`(?<=^\s*|\?\s+|[-+*/%=<>&|!:~,;([{]\s*|\b(?:and|or|in)\s+)`;
/** Matches a place that is not inside a path, a variable or a longer word. */
const BARE = String.raw`(?<![.$\w])`;

const operand = (pattern: string): RegExp => new RegExp(BEFORE_OPERAND + pattern);
const bare = (pattern: string): RegExp => new RegExp(BARE + pattern);

/** The syntax of jq, JavaScript, SQL and templates that JSONata does not compile, in the order of the advice. */
const FOREIGN: readonly ForeignSyntax[] = [
  {
    pattern: /\{\{|(?<=^\s*)\{\s*[\w$][^:{}]*\}\s*$/,
    advice: `write \${ ... } with single braces`,
  },
  { pattern: /[“”„‟‘’‚‛«»]/, advice: `write straight quotes, " or '` },
  { pattern: /\.\.\./, advice: 'write $merge([$.a, {"b": 1}]) for "..."' },
  { pattern: /(?<![=!<>])={2,3}(?![=>])/, advice: 'write = for "=="' },
  { pattern: /!==/, advice: 'write != for "!=="' },
  { pattern: /&&/, advice: 'write and for "&&"' },
  { pattern: /\|\|/, advice: 'write or for "||", or ?? for a default' },
  { pattern: /!(?!=)/, advice: 'write $not(...) for "!"' },
  { pattern: /=>|->/, advice: 'write function($x) { ... } for "=>"' },
  { pattern: /\?\./, advice: 'write . for "?.": a path through what is missing is undefined' },
  { pattern: /<>|≠/, advice: 'write != for "not equal"' },
  { pattern: /\+\+|--|[-+*/]=/, advice: 'a variable is bound once: ($x := 1; $x + 1)' },
  { pattern: /\[\s*\?/, advice: 'write list[condition] for "[?(...)]"' },
  { pattern: /@\./, advice: 'write the member alone for "@.x", such as list[price > 1]' },
  { pattern: /\$\s*\.\./, advice: 'write $.**.x for "$..x"' },
  { pattern: /\[\s*-?\d*\s*:\s*-?\d*\s*\]/, advice: 'write list[[0..2]] for "[0:3]"' },
  { pattern: operand(String.raw`\.\[`), advice: 'write $ for the input, such as $[0]' },
  { pattern: operand(String.raw`\.[A-Za-z_"]`), advice: 'write $.x for ".x": $ is the input' },
  { pattern: operand(String.raw`\.(?=\s*(?:$|[|,)]))`), advice: 'write $ for "."' },
  { pattern: bare(String.raw`select\s*\(`), advice: 'write list[condition] for "select"' },
  { pattern: bare(String.raw`map\s*\(`), advice: 'write list.(...) for "map"' },
  {
    pattern: bare(String.raw`(?!(?:function|select|map|if|and|or|in|not)\b)[A-Za-z]\w*\(`),
    advice: 'names of functions begin with $, such as $count(...)',
  },
  { pattern: /(?<!\|)\|(?!\|)/, advice: 'write . or ~> for the pipe "|"' },
  { pattern: /\/\//, advice: 'write ?? for "//"; comments are /* ... */' },
  {
    pattern: new RegExp(
      String.raw`${BARE}(?:if|unless)\b(?!\s*[.[])|(?<=[}\])"'\w]\s+)(?:then|else)\b`,
    ),
    advice: 'write condition ? value : other for "if"',
  },
  { pattern: bare(String.raw`new\s+[A-Z]`), advice: 'write $now() or $millis() for "new Date()"' },
  {
    pattern: bare(String.raw`(?:const|let|var)\s+\w`),
    advice: 'write ($x := value; ...) for a variable',
  },
  { pattern: bare('return\\b'), advice: 'leave "return" out: the last expression is the value' },
  { pattern: bare('typeof\\b'), advice: 'write $type(...) for "typeof"' },
  {
    pattern: /\bfunction\s*\w*\s*\(\s*[A-Za-z_]/,
    advice: 'write function($x) { ... }: parameters begin with $',
  },
  { pattern: bare('AND\\b'), advice: 'write and in lower case' },
  { pattern: bare('OR\\b'), advice: 'write or in lower case' },
  { pattern: bare('(?:not|NOT)\\s'), advice: 'write $not(...) for "not"' },
  {
    pattern: bare(String.raw`is\s+(?:not\s+)?(?:null|NULL|None|empty)\b`),
    advice: 'write = null, or $exists(...)',
  },
];

/** The most pieces of foreign syntax that one message explains; further pieces are left out. */
const MOST_ADVICE = 4;

/** Finds syntax of other languages in an expression that does not compile; null when there is none. */
export function findForeignSyntax(source: string): { position: number; message: string } | null {
  const masked = maskLiterals(source);
  const found = FOREIGN.flatMap(({ pattern, advice }) => {
    const at = masked.search(pattern);
    return at === -1 ? [] : [{ at, advice }];
  });
  const [first] = found.toSorted((a, b) => a.at - b.at);
  if (!first) return null;
  const advice = [...new Set(found.map((one) => one.advice))].slice(0, MOST_ADVICE);
  return { position: first.at, message: `${advice.join('; ')}.` };
}
