import type { OperationContext } from '../storage/store.ts';

/** A transaction's statements have its connection one after another, as MongoDB's have its session. */
export class Transaction {
  readonly session: string;
  readonly number: number;
  readonly context: OperationContext;
  timer: NodeJS.Timeout | undefined;
  /** When its snapshot was taken, as the store's changes count. */
  began = 0;
  /** A statement has failed: all that can be done is to abort. */
  doomed = false;
  /** It has been committed or aborted: a statement that still runs has to end. */
  over = false;
  private taken = false;
  private readonly waiting: (() => void)[] = [];

  constructor(session: string, number: number, context: OperationContext) {
    this.session = session;
    this.number = number;
    this.context = context;
    context.transaction = this;
    context.read = new Set();
  }

  get busy(): boolean {
    return this.taken;
  }

  /** Waits for the statements that came before; `leave` it in any case. */
  async enter(): Promise<void> {
    if (this.taken) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.taken = true;
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken = false;
  }
}
