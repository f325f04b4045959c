/** The limits of the sandbox. */

/** The CPU time and the time by the clock that a piece of work may take, in milliseconds. Beyond either the child is killed. */
export interface Budget {
  cpuMs: number;
  clockMs: number;
}

/** The budget of one expression. Beyond it the expression fails with `EXPRESSION_TIMEOUT`. */
export const EXPRESSION_BUDGET: Budget = { cpuMs: 250, clockMs: 2_500 };

/** The budget of one expression in a replay. It is larger, because an expression that succeeded before must not fail now. */
export const REPEATED_BUDGET: Budget = { cpuMs: 1_000, clockMs: 10_000 };
/** The budget of all expressions of one template in a replay. Beyond it the whole run is tried again later. */
export const REPEATED_TEMPLATE_BUDGET: Budget = { cpuMs: 8_000, clockMs: 80_000 };

/** The budget of the check of one file (beyond it `FLOW_TOO_COMPLEX`), and of all expressions of one template. */
export const FILE_BUDGET: Budget = { cpuMs: 2_000, clockMs: 20_000 };

/** The budget of a stored file. It is larger, because a file that was accepted before must not be refused now. */
export const STORED_FILE_BUDGET: Budget = { cpuMs: 8_000, clockMs: 80_000 };

/** The budget of the check of one value by a schema; a run's largest input takes some tens of ms. Beyond it the value is refused. */
export const VALIDATION_BUDGET: Budget = { cpuMs: 1_000, clockMs: 10_000 };

/**
 * Inserted and deleted lines of a diff of two texts. Beyond it the diff replaces all lines from the first difference to the
 * last: the work grows with the square, and 500 take up to 0.7 s of CPU time with files of 256 KiB.
 */
export const MAX_DIFF_EDITS = 500;
/** Lines that a diff shows before and after a change. */
export const DIFF_CONTEXT_LINES = 3;

/** Bytes of the result of one template. Beyond it the evaluation fails with `OUTPUT_TOO_LARGE`. */
export const MAX_RESULT_BYTES = 1024 * 1024;

/** Levels of lists and maps in a value. A deeper value is refused, because the code that stores and prints values recurses. */
export const MAX_DEPTH = 96;

/** Levels of recursion of an evaluation, JSONata's option `stack`. Beyond it the expression fails and the child lives on. */
export const MAX_EVALUATION_DEPTH = 2_000;
/** Elements of a sequence, JSONata's option `sequence`. Beyond it the expression fails and the child lives on. */
export const MAX_SEQUENCE = 1_000_000;

/** Compiled expressions that a realm keeps. Beyond it the least recently used is dropped. */
export const CACHED_EXPRESSIONS = 200;

/**
 * Realms that a child keeps, each up to 0.8 MB of its heap. Beyond this number the least recently used realm is dropped, and the next
 * evaluation of its tenant takes some milliseconds more.
 */
export const REALMS_PER_CHILD = 20;

/**
 * Tenants whose analyses of expressions a child keeps, each about 1 MB of its heap at most. Beyond this number the
 * analyses of the least recently used tenant are dropped, and the next check of its files takes longer.
 */
export const ANALYSED_TENANTS = 4;

/**
 * The old generation of a child's heap, in MiB; a child with a full heap aborts. KEPT_HEAP_BYTES and GARBAGE_BYTES leave
 * 22 MiB of it to every job, whatever the jobs before were.
 */
export const CHILD_HEAP_MB = 64;

/** Bytes of the heap that a child may keep between two jobs. Beyond this size the child drops all realms and analyses. */
export const KEPT_HEAP_BYTES = 28 * 1024 * 1024;

/** Bytes that jobs may add to the heap of a child. Beyond this size the child collects its garbage after the job. */
export const GARBAGE_BYTES = 14 * 1024 * 1024;

/** Milliseconds for which a child is idle before it makes a realm ahead for the next tenant. */
export const SPARE_REALM_AFTER_MS = 10;

/** Milliseconds that a child process may take to start. A child that takes longer is killed; no job is charged for this time. */
export const START_MS = 30_000;

/**
 * Seconds of CPU time after which a child is replaced, when its job has ended. The system ends a child that has used
 * twice as much, because no other process ends a looping child when the service is killed.
 */
export const RETIRED_AFTER_CPU_S = 30;

/** Milliseconds between two reads of a busy child's CPU time. */
export const WATCH_MS = 50;
