import { type AstNode, childrenOf } from '../jsonata-ast.ts';
import { BUILT_INS, TASK_NAME } from '../names.ts';

/** A place of an expression that compiles, and fails or gives nothing, or probably does, when it is evaluated. */
export interface Pitfall {
  /** The index in the expression's source. */
  position: number;
  message: string;
  /** False when the place may be meant as it is. True when absent. */
  isCertain?: boolean;
}

/** JSONata's way for the methods of JavaScript, jq and n8n. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['map', 'list.(...) or $map(list, function($x) { ... })'],
  ['filter', 'list[condition]'],
  ['select', 'list[condition]'],
  ['find', 'list[condition][0]'],
  ['forEach', '$map(list, function($x) { ... })'],
  ['some', '$exists(list[condition])'],
  ['every', '$not($exists(list[$not(condition)]))'],
  ['includes', '$contains(string, part), or value in list'],
  ['indexOf', '$contains(string, part), or value in list'],
  ['startsWith', '$match(string, /^.../) or $substring(...)'],
  ['endsWith', '$match(string, /...$/) or $substring(...)'],
  ['toLowerCase', '$lowercase(string)'],
  ['toUpperCase', '$uppercase(string)'],
  ['slice', '$substring(string, start, length), or list[[0..2]]'],
  ['substr', '$substring(string, start, length)'],
  ['concat', '$append(list, list), or string & string'],
  ['push', '$append(list, value)'],
  ['flat', 'list.*, since JSONata flattens lists'],
  ['flatMap', 'list.(...)'],
  ['toString', '$string(value)'],
  ['toFixed', '$round(number, digits)'],
  ['toISOString', '$fromMillis(number)'],
  ['getTime', '$toMillis(string)'],
  ['hasOwnProperty', '$exists(object.name)'],
  ['has', '$exists(object.name)'],
  ['to_entries', '$each(object, function($v, $k) { ... })'],
  ['tostring', '$string(value)'],
  ['tonumber', '$number(string)'],
  ['add', '$sum(list)'],
  ['first', 'list[0]'],
  ['last', 'list[-1]'],
  ['all', '$ or $input, which is the value itself'],
  ['item', '$ or $input, which is the value itself'],
  ['Number', '$number(string)'],
  ['String', '$string(value)'],
  ['Date', '$now() or $millis()'],
  ['parse', '$ itself: an answer of type JSON is parsed already'],
  ['stringify', '$string(value)'],
  ['fromJSON', '$ itself: an answer of type JSON is parsed already'],
  ['toJSON', '$string(value)'],
]);

/** Matches every expression that can have a pitfall, so that most expressions are not searched. */
const SUSPECT =
  /(?<![$\w])[A-Za-z_]\w*\s*\(|\$\s*\(|["'`]|\b(?:undefined|None|nil|NULL|True|TRUE|False|FALSE)\b|\blength\b/;

/** Finds the pitfalls of an expression that compiles. */
export function findPitfalls(root: AstNode, source: string): Pitfall[] {
  if (!SUSPECT.test(source)) return [];
  const found: Pitfall[] = [];
  const visit = (node: AstNode): void => {
    const pitfall = pitfallOf(node, source);
    if (pitfall) found.push(pitfall);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(root);
  return found;
}

function pitfallOf(node: AstNode, source: string): Pitfall | null {
  return (
    callOfInput(node) ??
    callOfName(node, source) ??
    sumOfString(node) ??
    stringPredicate(node) ??
    template(node) ??
    foreignWord(node) ??
    lengthOfList(node)
  );
}

/** A call of a name without `$` calls a value of the data, and data has no functions. */
function callOfName({ type, procedure }: AstNode, source: string): Pitfall | null {
  if (type !== 'function' && type !== 'partial') return null;
  const [name, second] = procedure?.type === 'path' ? (procedure.steps ?? []) : [];
  if (name?.type !== 'name' || second) return null;
  const word = String(name.value);
  // An expression may make an object with functions of its own.
  if (source.includes(`"${word}"`) || source.includes(`'${word}'`)) return null;
  const instead = METHODS.get(word) ?? (BUILT_INS.has(word) ? `$${word}(...)` : null);
  const advice = instead === null ? 'names of functions begin with $' : `write ${instead}`;
  const position = (name.position ?? 0) - word.length;
  return { position, message: `"${word}(...)" is no function: ${advice}.` };
}

/** `$` is the input and no function. n8n finds a node by `$('name')`. */
function callOfInput({ type, procedure, arguments: given }: AstNode): Pitfall | null {
  if (type !== 'function' || procedure?.type !== 'variable' || procedure.value !== '') return null;
  const name = given?.length === 1 && given[0]?.type === 'string' ? String(given[0].value) : '';
  const task = TASK_NAME.test(name) ? name : '<task>';
  const step = task.includes('-') ? `\`${task}\`` : task;
  const message = `"$(...)" is no function: write $steps.${step} for the output of a task.`;
  return { position: Math.max(0, (procedure.position ?? 0) - 1), message };
}

/** A sum of a string is an error whenever it is evaluated. */
function sumOfString({ type, value, position, lhs, rhs }: AstNode): Pitfall | null {
  if (type !== 'binary' || value !== '+') return null;
  const isString = (operand: typeof lhs) => !Array.isArray(operand) && operand?.type === 'string';
  if (!isString(lhs) && !isString(rhs)) return null;
  return { position: (position ?? 1) - 1, message: 'write & to join strings: + adds numbers.' };
}

/** A string as a condition holds always, so that `a["b"]` is `a`. */
function stringPredicate({ predicate, stages }: AstNode): Pitfall | null {
  for (const filter of [...(predicate ?? []), ...(stages ?? [])]) {
    const { expr, position } = filter;
    if (filter.type !== 'filter' || expr?.type !== 'string' || expr.value === '') continue;
    const message = `["${String(expr.value)}"] chooses no member: write .\`${String(expr.value)}\`.`;
    return { position: (position ?? 1) - 1, message };
  }
  return null;
}

/** A template of JavaScript is the name of a member in JSONata. */
function template({ type, value, position }: AstNode): Pitfall | null {
  if (type !== 'name' || typeof value !== 'string' || !value.includes('${')) return null;
  const message = 'backticks quote a name here: join strings by &, such as "a " & $.x.';
  return { position: Math.max(0, (position ?? 0) - value.length - 2), message };
}

/** JSONata's way for the words of other languages that JSONata reads as members of the input. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['undefined', '$exists(...)'],
  ['None', 'null'],
  ['nil', 'null'],
  ['NULL', 'null'],
  ['True', 'true'],
  ['TRUE', 'true'],
  ['False', 'false'],
  ['FALSE', 'false'],
]);

function foreignWord({ type, steps }: AstNode): Pitfall | null {
  const [name, second] = type === 'path' ? (steps ?? []) : [];
  if (name?.type !== 'name' || second) return null;
  const word = String(name.value);
  const instead = WORDS.get(word);
  if (instead === undefined) return null;
  const message = `"${word}" is a member of the input here: write ${instead}.`;
  return { position: (name.position ?? 0) - word.length, message };
}

const COMPARISONS: ReadonlySet<unknown> = new Set(['=', '!=', '<', '<=', '>', '>=']);

/** A list has no member `length`. Only a comparison with 0 tells that a number of elements is meant. */
function lengthOfList({ type, value, lhs, rhs }: AstNode): Pitfall | null {
  if (type !== 'binary' || !COMPARISONS.has(value) || Array.isArray(lhs)) return null;
  if (rhs?.type !== 'number' || rhs.value !== 0 || lhs?.type !== 'path') return null;
  const last = lhs.steps?.at(-1);
  if (last?.type !== 'name' || last.value !== 'length') return null;
  const message =
    '".length" is a member here: write $count(...) for a list, $length(...) for a string.';
  return { position: (last.position ?? 0) - 'length'.length, message };
}
