export type Fields = Record<string, unknown>;

const OF_THE_SESSION = /^(\$.*|lsid|txnNumber|writeConcern|readConcern|cursor|maxTimeMS|ordered)$/;
/** The field with the statements of a write. */
const STATEMENTS: Readonly<Record<string, string>> = { update: 'updates', delete: 'deletes' };

/** Splits a write into its statements, each a command of its own: `explain` takes one statement at a time. */
export function statementsOf(name: string, command: Fields): Fields[] {
  const body = Object.fromEntries(
    Object.entries(command).filter(([field]) => !OF_THE_SESSION.test(field)),
  );
  if (name === 'aggregate') body.cursor = {};
  const field = STATEMENTS[name] ?? '';
  const statements = body[field];
  if (!Array.isArray(statements)) return [body];
  return statements.map((statement) => ({ ...body, [field]: [statement] }));
}

/** The fields of a statement on which its plan depends. */
const PLANNING = ['filter', 'query', 'q', 'pipeline', 'key', 'sort', 'collation', 'hint'];

/**
 * The statement without its values, as a line of text. Names of states, truth values and null remain, because an index
 * may hold the documents of some of them only.
 */
export function shapeOf(name: string, statement: Fields): string {
  const [write = statement] = (statement.updates ?? statement.deletes ?? []) as Fields[];
  const parts = PLANNING.filter((field) => write[field] !== undefined).map((field) => {
    const keeps = ['sort', 'key', 'collation', 'hint'].includes(field);
    return `${field} ${JSON.stringify(keeps ? write[field] : withoutValues(write[field]))}`;
  });
  const limit = statement.limit ? ['limit'] : [];
  return [name, statement[name], ...parts, ...limit].join(' ');
}

/** Names of states and kinds. */
const STATE = /^[A-Z][A-Z_]*$/;

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) {
    const elements = new Set(value.map((one) => JSON.stringify(withoutValues(one))));
    return [...elements].map((one) => JSON.parse(one));
  }
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return STATE.test(value) ? value : '?';
  if (!isPlain(value)) return '?';
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutValues(one)]));
}

/** Whether a value is a document, and no date, identifier or other value with a type of its own. */
const isPlain = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
