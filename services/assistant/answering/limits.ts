/** Steps of the model in one answer. Then the answer ends with the status LIMIT. */
export const MAX_STEPS = 20;
/** Tokens of one answer, those of the requests included. Then the answer ends with the status LIMIT. */
export const MAX_TOKENS = 500_000;
/** Milliseconds of one answer. Then it ends with the status LIMIT. */
export const MAX_ANSWER_MS = 120_000;
/** Characters of the text of one answer. Then it ends with the status LIMIT. */
export const MAX_ANSWER_CHARS = 64 * 1024;
/** Tool calls of one step of the model. Further calls are refused, and the model is told. */
export const MAX_CALLS_PER_STEP = 16;
/** Tool calls that only read, of one answer, in flight at once. */
export const PARALLEL_CALLS = 4;
/** Steps with wrong arguments, or with a tool that does not exist. After one more the answer ends with the status FAILED. */
export const MAX_FAULTY_STEPS = 2;
/** Bytes of the arguments of one call as JSON. A longer call is refused, and the model is told. */
export const MAX_ARGUMENTS_BYTES = 64 * 1024;
/** Bytes of the arguments and the results of one answer's calls. Beyond them results are cut shorter, and calls refused. */
export const MAX_CALLS_BYTES = 320 * 1024;
/**
 * Characters of a conversation that the model is sent: about 50,000 tokens, beside the 15,000 of the tools. A longer
 * one is shortened.
 */
export const MAX_CONTEXT_CHARS = 200_000;
/** The part of the characters that a conversation keeps when the model says that it is too long. */
export const CONTEXT_REDUCTION = 0.3;
