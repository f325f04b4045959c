import type { BodyLimits, ReadBody } from './body.ts';

/** The status and the headers of an answer. */
export interface AnswerHead {
  status: number;
  /** The headers by lower-case name. One that came several times is a list. */
  headers: Record<string, string | string[] | undefined>;
}

/** An answer. The body is null where it was not wanted. */
export interface Answer extends AnswerHead {
  body: ReadBody | null;
}

/** What is read of an answer. */
export interface ReadOrder extends BodyLimits {
  /** Decides by the head of the answer. A body that is not wanted is discarded (`discarded-body.ts`). */
  wantsBody: (head: AnswerHead) => boolean;
  /** Whether the connection stays open for the next request. */
  keepsConnection: boolean;
}
