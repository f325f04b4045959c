/*
 * The cost of a run's work in the process and the database, in milliseconds of CPU time on a slow core. They are
 * estimates: nobody can measure the part that one run has in a thread.
 */

/** The claim of a run, its first read and its end. */
export const RUN_COST = 1;
/** The execution of a task without its expressions and effects. */
export const TASK_COST = 0.05;
/** The request and the answer of an effect, and the write before it. */
export const EFFECT_COST = 0.5;
/** The start of a child run. */
export const CHILD_START_COST = 5;

/** A journal entry in the memory of the process, in the run's document, and in a row of its own. */
const ENTRY_COST = 0.1;
/** Bytes of a journal entry whose encoding and writes cost a millisecond. */
const BYTES_PER_MS = 64 * 1024;

export const entryCost = (bytes: number): number => ENTRY_COST + bytes / BYTES_PER_MS;
