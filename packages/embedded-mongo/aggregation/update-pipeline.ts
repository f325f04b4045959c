import { type Document, isDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileExpression } from './expression.ts';
import { stageOf } from './run.ts';
import type { ShapeMaker } from './stage.ts';
import { SHAPE_STAGES } from './stages/shape.ts';
import { namedValues, type Variables } from './variables.ts';

const SHAPES: ReadonlyMap<string, ShapeMaker> = new Map(SHAPE_STAGES);

/** Compiles an update that is a pipeline to a function of one document. The result shares values with the document. */
export function runUpdatePipeline(
  pipeline: readonly Value[],
  variables: Variables,
  constants: Value | undefined,
): (document: Document) => Document {
  const makers = pipeline.map((stage) => {
    const [name = ''] = isDocument(stage) ? stage.keys() : [];
    return (
      SHAPES.get(name) ??
      fail('InvalidOptions', `${name} is not allowed to be used within an update`)
    );
  });
  const known = isDocument(constants)
    ? variables.with(namedValues(constants, compileExpression, variables))
    : variables;
  // The stages of an update keep no state between two documents.
  const stages = makers.map((make, i) =>
    make(stageOf(pipeline[i] as Value)[1], { variables: known }),
  );
  return (document) => stages.reduce((given, stage) => stage.push([given])[0] ?? given, document);
}
