import { compileExpression } from '../aggregation/expression.ts';
import { truthy, type Variables } from '../aggregation/variables.ts';
import { integerOf, isNumeric } from '../bson/numbers.ts';
import { pathOf, refuseLongPath } from '../bson/path.ts';
import { type Document, isDocument, isOperators, typeName, type Value } from '../bson/values.ts';
import { fail, MongoError, unsupported } from '../errors.ts';
import { elemMatch, type Predicate } from './match.ts';
import { compilePosition } from './position.ts';
import {
  compute,
  exclude,
  include,
  type Leaf,
  type ProjectionContext,
  type Tree,
} from './projection-tree.ts';

export type Projection = (document: Document) => Document;

export function compileProjection(
  spec: Value | undefined,
  context: ProjectionContext,
): Projection | undefined {
  if (spec === undefined || spec === null) return undefined;
  if (!isDocument(spec))
    return fail('TypeMismatch', `projection must be an object, not ${typeName(spec)}`);
  if (spec.size === 0) return undefined;
  const parsed = new Parser(context);
  parsed.fields(spec, '');
  return parsed.finish();
}

class Parser {
  private readonly tree: Tree = new Map();
  private readonly context: ProjectionContext;
  private including: boolean | undefined;
  private id: boolean | undefined;
  private singled: '$' | '$elemMatch' | undefined;
  private sliced = false;

  constructor(context: ProjectionContext) {
    this.context = context;
  }

  fields(spec: Document, prefix: string): void {
    for (const [name, value] of spec) this.field(prefix + name, value);
  }

  finish(): Projection {
    const including = this.including ?? this.includesByDefault();
    if (this.id !== undefined && this.id === including) this.put('_id', true);
    if (including && this.id === undefined && !this.tree.has('_id')) this.put('_id', true);
    return (document) => {
      const used = { document, context: this.context };
      const shown = including
        ? include(document, this.tree, used)
        : exclude(document, this.tree, used);
      if (including || this.singled === '$elemMatch') compute(shown, this.tree, used);
      return shown;
    };
  }

  /** Tells whether a projection without an included or excluded field includes only the fields it names. */
  private includesByDefault(): boolean {
    return this.id === true || (this.singled === '$elemMatch' && !this.sliced);
  }

  private field(path: string, value: Value): void {
    if (path === '' || path.split('.').includes(''))
      fail(15998, 'FieldPath field names may not be empty strings.');
    if (typeof value === 'boolean' || isNumeric(value)) this.flag(path, truthy(value));
    else if (isOperators(value)) this.operator(path, value);
    else if (isDocument(value)) {
      if (value.size === 0)
        fail(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
      this.fields(value, `${path}.`);
    } else this.computed(path, value);
  }

  private flag(path: string, shown: boolean): void {
    if (path === '_id') {
      this.id = shown;
      return;
    }
    this.mode(path, shown);
    if (path.endsWith('.$')) {
      if (!shown) fail(31395, 'positional projection cannot be used with exclusion');
      const array = path.slice(0, -2);
      if (!this.context.filter) fail(16410, "FieldPath field names may not start with '$'.");
      this.only('$');
      this.put(array, { positional: compilePosition(this.context.filter, pathOf(array)) });
    } else this.put(path, true);
  }

  private operator(path: string, value: Document): void {
    const [[name, argument] = ['', null]] = value;
    const find = this.context.filter !== undefined && value.size === 1;
    if (name === '$meta') unsupported('Projecting $meta');
    if (find && name === '$slice' && !isExpression(argument)) {
      this.sliced = true;
      this.put(path, { slice: sliceOf(argument) });
    } else if (find && name === '$elemMatch') {
      if (path.includes('.')) fail(31275, 'Cannot use $elemMatch projection on a nested field.');
      this.only('$elemMatch');
      this.put(path, { elemMatch: elementTest(argument, this.context.variables) });
    } else this.computed(path, value);
  }

  private computed(path: string, value: Value): void {
    if (this.including === false) {
      fail(31252, `Cannot use an expression on field ${path} in an exclusion projection`);
    }
    this.mode(path, true);
    this.put(path, { expression: compileExpression(value) });
  }

  /** Refuses a second positional projection, and a positional projection beside $elemMatch. */
  private only(kind: '$' | '$elemMatch'): void {
    if (kind === '$' && this.singled === '$')
      fail(31276, 'Cannot specify more than one positional projection per query.');
    if (this.singled !== undefined && this.singled !== kind)
      fail(31255, 'Cannot specify positional operator and $elemMatch.');
    this.singled = kind;
  }

  private mode(path: string, including: boolean): void {
    if (this.including === undefined) this.including = including;
    else if (this.including !== including) {
      if (including) fail(31253, `Cannot do inclusion on field ${path} in exclusion projection`);
      fail(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
    }
  }

  private put(path: string, leaf: Leaf): void {
    const parts = pathOf(path);
    refuseLongPath(parts);
    let tree = this.tree;
    for (const part of parts.slice(0, -1)) {
      if (part.startsWith('$')) fail(16410, "FieldPath field names may not start with '$'.");
      const next = tree.get(part) ?? new Map();
      if (!(next instanceof Map)) throw new MongoError(31249, `Path collision at ${path}`);
      tree.set(part, next);
      tree = next;
    }
    const last = parts.at(-1) ?? '';
    if (last.startsWith('$')) fail(16410, "FieldPath field names may not start with '$'.");
    if (tree.has(last)) fail(31250, `Path collision at ${path}`);
    tree.set(last, { leaf });
  }
}

/** Tells whether a $slice is the aggregation operator. The $slice of find has numbers only. */
const isExpression = (slice: Value): boolean =>
  Array.isArray(slice) ? slice.length > 2 || !isNumeric(slice[0]) : !isNumeric(slice);

function sliceOf(argument: Value): [number, number] {
  const [first, second] = (Array.isArray(argument) ? argument : [argument]).map(integerOf);
  if (first === undefined) return fail(28724, 'First argument to $slice must be an integer');
  if (Array.isArray(argument)) {
    if (second === undefined || second <= 0)
      fail(28724, 'Second argument to $slice must be positive');
    return [first, second as number];
  }
  return first < 0 ? [first, -first] : [0, first];
}

function elementTest(argument: Value, variables: Variables): Predicate {
  const test = elemMatch(argument, variables);
  return (element) => test([element]);
}
