import { type Document, isDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileExpression } from './expression.ts';
import { compileStages } from './pipeline.ts';
import { feed } from './run.ts';
import { namedValues, type Variables } from './variables.ts';

const ALLOWED = new Set([
  '$addFields',
  '$set',
  '$project',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
]);

/** Compiles an update that is a pipeline to a function of one document. The result shares values with the document. */
export function runUpdatePipeline(
  pipeline: readonly Value[],
  variables: Variables,
  constants: Value | undefined,
): (document: Document) => Document {
  for (const stage of pipeline) {
    const [name = ''] = isDocument(stage) ? stage.keys() : [];
    if (!ALLOWED.has(name)) {
      fail('InvalidOptions', `${name} is not allowed to be used within an update`);
    }
  }
  const known = isDocument(constants)
    ? variables.with(namedValues(constants, compileExpression, variables))
    : variables;
  // The stages of an update keep no state between two documents.
  const stages = compileStages(pipeline, { variables: known, compile: compileStages });
  return (document) => feed(stages, [document])[0] ?? document;
}
