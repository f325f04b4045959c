import type { OperationContext } from '../storage/context.ts';

/** A transaction. Its statements use its connection one after another, as statements use a session in MongoDB. */
export class Transaction {
  readonly session: string;
  readonly number: number;
  readonly context: OperationContext;
  timer: NodeJS.Timeout | undefined;
  /** The number of commits when the snapshot was taken, see `Changes`. */
  began = 0;
  /** Whether a statement has failed, so that the transaction can only be aborted. */
  doomed = false;
  /** Whether the transaction was committed or aborted. A statement that still runs must end. */
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

  /** Waits for the earlier statements. Each `enter` needs a `leave`. */
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
