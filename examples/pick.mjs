// Prints a part of a JSON answer: `curl … | node examples/pick.mjs id`. A problem of the service (RFC 9457), an answer
// without that part and no answer at all are told on stderr, and end with exit code 1.
import { text } from 'node:stream/consumers';

/** Characters of an answer that a message shows. */
const SHOWN = 300;

const shorten = (whole) => (whole.length > SHOWN ? `${whole.slice(0, SHOWN)}…` : whole);

function fail(message) {
  process.stderr.write(`pick: ${message}\n`);
  process.exit(1);
}

function parse(answer) {
  if (answer === '') fail('there is no answer. Is the service up, and BASE its address?');
  try {
    return JSON.parse(answer);
  } catch {
    return fail(`the answer is not JSON: ${shorten(answer)}`);
  }
}

const isProblem = (value) =>
  typeof value?.type === 'string' && value.type.startsWith('urn:problem:');

function tellOf({ status, code, detail, errors = [] }) {
  const places = errors.map(({ path, message, line, column }) => {
    const place = line === undefined ? path : `line ${line}, column ${column}`;
    return `\n  ${place}: ${message}`;
  });
  return `${status} ${code}: ${detail}${places.join('')}`;
}

/** The value at a path of JavaScript, such as `id`, `at(0).title` or `map(({ id }) => id)`. */
function valueAt(value, path) {
  try {
    return new Function('answer', `return answer${path.startsWith('[') ? '' : '.'}${path}`)(value);
  } catch {
    return undefined;
  }
}

const [path = ''] = process.argv.slice(2);
const answer = await text(process.stdin);
const value = parse(answer);
if (isProblem(value)) fail(tellOf(value));
const found = valueAt(value, path);
if (found === undefined) fail(`the answer has no ${path}: ${shorten(answer)}`);
process.stdout.write(`${typeof found === 'string' ? found : JSON.stringify(found)}\n`);
