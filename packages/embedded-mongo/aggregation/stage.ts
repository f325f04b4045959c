import type { Document, Value } from '../bson/values.ts';
import type { Variables } from './variables.ts';

/** A stage of a pipeline, which gets its documents in portions. */
export interface Stage {
  /** Takes documents and returns the output that is ready. A stage that needs all documents returns none yet. */
  push(documents: Document[]): Document[] | Promise<Document[]>;
  /** Returns the rest of the output after the last input, in portions. */
  finish(): Iterable<Document[]> | AsyncIterable<Document[]>;
  /** The number of documents that the stage gets at a time, which `feed` adapts to the stage's speed. */
  slice?: number;
  /** Whether the stage needs no more input, such as a $limit that is reached. */
  readonly full?: boolean;
}

/** A stage that converts each document by itself, also in an update. */
interface ShapeStage extends Stage {
  push(documents: Document[]): Document[];
}

/** The part of the found documents that a command reads. An index that has this part may answer the command alone. */
export interface Reads {
  paths: Set<string>;
  /** The filters of later stages, which MongoDB applies to the found documents at once. */
  filters: Document[];
}

/** The variables and the access to other collections that stages need. */
export interface StageContext {
  variables: Variables;
  /** Compiles the stages of a pipeline within a stage. */
  compile: (pipeline: readonly Value[], context: StageContext) => Stage[];
  /** Reads the documents of another collection that match a filter, in portions. */
  read: (
    collection: string,
    filter: Document,
    variables: Variables,
    reads?: Reads,
  ) => AsyncIterable<Document[]>;
  /** Yields to other commands when the time of a portion is over. Throws when the command must end. */
  rest: () => Promise<void>;
}

/** Makes a stage from its argument. Throws for an invalid argument. */
export type StageMaker = (argument: Value, context: StageContext) => Stage;

export type ShapeMaker = (argument: Value, context: Pick<StageContext, 'variables'>) => ShapeStage;

/** Makes a stage that converts each document by itself. */
export const each = (apply: (document: Document) => Document[]): ShapeStage => ({
  push: (documents) => documents.flatMap(apply),
  finish: () => [],
});
