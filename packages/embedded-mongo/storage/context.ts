import type { Connection } from './connection.ts';
import type { LiveHeap } from './live-heap.ts';

/** The state of a transaction for the operations in it. */
interface TransactionState {
  readonly number: number;
  /** Whether the transaction has ended while the operation was running. */
  readonly over: boolean;
}

/**
 * The context in which an operation reads and writes: the main connection or a transaction's connection. The functions
 * of `undo` undo changes in memory when the work is rolled back.
 */
export interface OperationContext {
  connection: Connection;
  /** The memory of the process, which a command checks while it gathers documents. */
  heap: LiveHeap;
  /** The transaction of the operation; undefined outside a transaction. */
  transaction: TransactionState | undefined;
  /** The namespaces that a transaction has read. */
  read?: Set<string>;
  undo: (() => void)[];
  /** True while a document is written and its index entries are not written yet. */
  halfway?: boolean;
}

/** Undoes the changes in memory of rolled back work. */
export function rollBackMemory(work: Pick<OperationContext, 'undo'>): void {
  for (const undo of work.undo.reverse()) undo();
  work.undo.length = 0;
}
