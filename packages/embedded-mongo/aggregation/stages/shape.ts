import { type Path, refuseLongPath } from '../../bson/path.ts';
import { type Document, isDocument, isOperators, typeName } from '../../bson/values.ts';
import { fail, MongoError } from '../../errors.ts';
import { compileProjection } from '../../query/projection.ts';
import { compute, type Tree } from '../../query/projection-tree.ts';
import { compileExpression, fieldPath } from '../expression.ts';
import { allowOnly } from '../options.ts';
import { each, type ShapeMaker } from '../stage.ts';
import type { Expression } from '../variables.ts';

/** Adds the fields of a specification to the tree. {a: {b: expression}} and {'a.b': expression} mean the same. */
function assign(spec: Document, prefix: readonly string[], tree: Tree): void {
  for (const [name, value] of spec) {
    const path = [...prefix, ...fieldPath(name)];
    refuseLongPath(path);
    if (isDocument(value) && value.size === 0)
      fail(40180, `an empty object is not a valid value. Found at path ${path.join('.')}`);
    if (isDocument(value) && !isOperators(value)) assign(value, path, tree);
    else put(tree, path, compileExpression(value));
  }
}

const conflict = (path: Path): MongoError =>
  new MongoError(40176, `specification contains two conflicting paths: '${path.join('.')}'`);

function put(tree: Tree, path: Path, expression: Expression): void {
  let inner = tree;
  for (const part of path.slice(0, -1)) {
    const next = inner.get(part) ?? new Map();
    if (!(next instanceof Map)) throw conflict(path);
    inner.set(part, next);
    inner = next;
  }
  const last = path.at(-1) as string;
  if (inner.has(last)) throw conflict(path);
  inner.set(last, { leaf: { expression } });
}

const addFields: ShapeMaker = (argument, { variables }) => {
  if (!isDocument(argument))
    return fail(
      40272,
      `$addFields specification stage must be an object, got ${typeName(argument)}`,
    );
  if (argument.size === 0) fail(40177, 'specification must have at least one field');
  const tree: Tree = new Map();
  assign(argument, [], tree);
  const context = { variables };
  return each((document) => {
    const changed = new Map(document);
    compute(changed, tree, { document, context });
    return [changed];
  });
};

const project: ShapeMaker = (argument, { variables }) => {
  if (!isDocument(argument)) return fail(15969, '$project specification must be an object');
  if (argument.size === 0) fail(51272, 'projection specification must have at least one field');
  const projection = compileProjection(argument, { variables });
  return each((document) => [projection ? projection(document) : document]);
};

/** Makes $unset as a projection that excludes its fields. */
const unset: ShapeMaker = (argument, context) => {
  const names = Array.isArray(argument) ? argument : [argument];
  if (names.length === 0 || names.some((name) => typeof name !== 'string' || name === ''))
    fail(31002, '$unset specification must be a string or an array of strings');
  if (new Set(names).size < names.length) fail(31250, 'Path collision in $unset');
  return project(new Map(names.map((name) => [name as string, false])), context);
};

const replaceWith: ShapeMaker = (argument, { variables }) => {
  const root = compileExpression(argument);
  return each((document) => {
    const result = root(variables.withRoot(document));
    if (isDocument(result)) return [result];
    return fail(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was of type ${typeName(result)}`,
    );
  });
};

const replaceRoot: ShapeMaker = (argument, context) => {
  if (!isDocument(argument))
    return fail(
      40229,
      `expected an object as specification for $replaceRoot stage, got ${typeName(argument)}`,
    );
  allowOnly(argument, ['newRoot'], 40230, '$replaceRoot');
  const root = argument.get('newRoot');
  if (root === undefined) return fail(40231, 'no newRoot specified for the $replaceRoot stage');
  return replaceWith(root, context);
};

export const SHAPE_STAGES: [string, ShapeMaker][] = [
  ['$addFields', addFields],
  ['$set', addFields],
  ['$project', project],
  ['$unset', unset],
  ['$replaceRoot', replaceRoot],
  ['$replaceWith', replaceWith],
];
