import { type Path, pathOf } from '../../bson/path.ts';
import { type Document, isDocument, isOperators, typeName, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { compileProjection } from '../../query/projection.ts';
import { compileExpression, fieldPath } from '../expression.ts';
import { each, type StageMaker } from '../stage.ts';
import type { Expression } from '../variables.ts';

/** A copy of the document with another value at the path; undefined removes it. */
export function setPath(document: Document, path: Path, value: Value | undefined): Document {
  const [name = '', ...rest] = path;
  const copy = new Map(document);
  const inner = document.get(name);
  if (rest.length > 0) {
    if (value === undefined && inner === undefined) return copy;
    if (Array.isArray(inner)) {
      copy.set(
        name,
        inner.map((element) => setPath(isDocument(element) ? element : new Map(), rest, value)),
      );
    } else copy.set(name, setPath(isDocument(inner) ? inner : new Map(), rest, value));
  } else if (value === undefined) copy.delete(name);
  else copy.set(name, value);
  return copy;
}

/** {a: {b: expression}} and {'a.b': expression} alike. */
function assignments(
  spec: Document,
  prefix: readonly string[],
): { path: Path; value: Expression }[] {
  return [...spec].flatMap(([name, value]) => {
    const path = [...prefix, ...fieldPath(name)];
    if (isDocument(value) && value.size > 0 && !isOperators(value)) return assignments(value, path);
    return [{ path, value: compileExpression(value) }];
  });
}

const addFields: StageMaker = (argument, { variables }) => {
  if (!isDocument(argument))
    return fail(
      40272,
      `$addFields specification stage must be an object, got ${typeName(argument)}`,
    );
  const fields = assignments(argument, []);
  return each((document) => {
    const seen = variables.withRoot(document);
    return [
      fields.reduce((result, { path, value }) => setPath(result, path, value(seen)), document),
    ];
  });
};

const project: StageMaker = (argument, { variables }) => {
  if (!isDocument(argument)) return fail(15969, '$project specification must be an object');
  if (argument.size === 0) fail(51272, 'projection specification must have at least one field');
  const projection = compileProjection(argument, { variables });
  return each((document) => [projection ? projection(document) : document]);
};

const unset: StageMaker = (argument) => {
  const names = Array.isArray(argument) ? argument : [argument];
  const paths = names.map((name) =>
    typeof name === 'string' && name !== ''
      ? pathOf(name)
      : fail(31002, '$unset specification must be a string or an array of strings'),
  );
  return each((document) => [paths.reduce((result, path) => removePath(result, path), document)]);
};

function removePath(document: Document, path: Path): Document {
  const [name = '', ...rest] = path;
  const inner = document.get(name);
  if (inner === undefined) return document;
  const copy = new Map(document);
  const within = (value: Value): Value => {
    if (isDocument(value)) return removePath(value, rest);
    return Array.isArray(value) ? value.map(within) : value;
  };
  if (rest.length === 0) copy.delete(name);
  else copy.set(name, within(inner));
  return copy;
}

const replaceWith: StageMaker = (argument, { variables }) => {
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

const replaceRoot: StageMaker = (argument, context) => {
  const root = isDocument(argument) ? argument.get('newRoot') : undefined;
  if (root === undefined) return fail(40231, 'no newRoot specified for the $replaceRoot stage');
  return replaceWith(root, context);
};

export const SHAPE_STAGES: [string, StageMaker][] = [
  ['$addFields', addFields],
  ['$set', addFields],
  ['$project', project],
  ['$unset', unset],
  ['$replaceRoot', replaceRoot],
  ['$replaceWith', replaceWith],
];
