/** What evaluating may cost. Sizes in bytes of JSON, times in milliseconds. */

/** How long a piece of work may take: CPU time of the child, and the clock for all cases. */
export interface Budget {
  cpuMs: number;
  clockMs: number;
}

/** One expression, from its own start. */
export const EXPRESSION_BUDGET: Budget = { cpuMs: 250, clockMs: 2_500 };

/** One that met no limit the first time, when its run is replayed: it must not fail by chance. */
export const REPEATED_BUDGET: Budget = { cpuMs: 1_000, clockMs: 10_000 };
export const REPEATED_TEMPLATE_BUDGET: Budget = { cpuMs: 8_000, clockMs: 80_000 };

/** A file with all that is in it; also all expressions of one template. */
export const FILE_BUDGET: Budget = { cpuMs: 2_000, clockMs: 20_000 };

/** A file that was within that when it was stored: it must not become unusable by chance. */
export const STORED_FILE_BUDGET: Budget = { cpuMs: 8_000, clockMs: 80_000 };

/** The check of one value against a schema; the largest input of a run takes some tens of ms. */
export const VALIDATION_BUDGET: Budget = { cpuMs: 1_000, clockMs: 10_000 };

/** The largest result of one template. Steps have a smaller bound of their own. */
export const MAX_RESULT_BYTES = 1024 * 1024;

/** How deep lists and maps may stand in each other; what stores and prints them recurses. */
export const MAX_DEPTH = 96;

/** JSONata's own guards, for what they catch without killing the child. */
export const MAX_EVALUATION_DEPTH = 2_000;
export const MAX_SEQUENCE = 1_000_000;

/** Compiled expressions that a realm keeps, the least recently used gone first. */
export const CACHED_EXPRESSIONS = 200;

/** Realms that a child keeps, each up to 0.8 MB of its heap. Evaluating for a tenant without one takes some ms more. */
export const REALMS_PER_CHILD = 20;

/**
 * The old generation of a child's heap, in MiB. What KEPT_HEAP_BYTES and GARBAGE_BYTES leave of it, 22 MiB,
 * is there for every job, whatever the jobs before it were.
 */
export const CHILD_HEAP_MB = 64;

/** Bytes of its heap that a child may keep between two jobs; beyond it, it forgets all realms. */
export const KEPT_HEAP_BYTES = 28 * 1024 * 1024;

/** Bytes that jobs may add to the heap of a child before it collects its garbage and looks how much stays. */
export const GARBAGE_BYTES = 14 * 1024 * 1024;

/** How long a child rests before it makes a realm ahead of need, in ms. */
export const SPARE_REALM_AFTER_MS = 10;

/** What a child may take to come up, by the clock; nobody's budget pays for it. */
export const START_MS = 30_000;

/**
 * A child that has used this much CPU time in all is replaced at its next rest; one that uses
 * twice as much is ended by the system, for nobody else ends it when the service is killed while
 * it is in a loop.
 */
export const RETIRED_AFTER_CPU_S = 30;

/** How often a busy child's CPU time is looked at. */
export const WATCH_MS = 50;
