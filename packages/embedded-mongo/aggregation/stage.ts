import type { Document, Value } from '../bson/values.ts';
import type { Variables } from './variables.ts';

/** A stage of a pipeline, fed with documents in portions. */
export interface Stage {
  /** What these documents give at once; a stage that needs all of them keeps them. */
  push(documents: Document[]): Document[];
  /** What is left to give when all have come. */
  finish(): Document[];
  /** Whether it wants no more, as a $limit that is reached. */
  readonly full?: boolean;
}

/** What stages need beside their documents. */
export interface StageContext {
  variables: Variables;
  /** The documents of another collection that match a filter; not for updates. */
  read?: (collection: string, filter: Document, variables: Variables) => Document[];
}

/** Makes a stage of its argument; it has the right to refuse it. */
export type StageMaker = (argument: Value, context: StageContext) => Stage;

/** A stage that treats each document for itself. */
export const each = (apply: (document: Document) => Document[]): Stage => ({
  push: (documents) => documents.flatMap(apply),
  finish: () => [],
});

/** A stage that needs all documents before it gives any. */
export function whole(apply: (documents: Document[]) => Document[]): Stage {
  const kept: Document[] = [];
  return {
    push(documents) {
      for (const document of documents) kept.push(document);
      return [];
    },
    finish: () => apply(kept),
  };
}
