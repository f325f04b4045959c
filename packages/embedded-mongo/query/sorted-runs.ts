/** Items of the first run. Each next run has twice as many while sorting is quick, and half as many otherwise. */
const FIRST_RUN = 64;
/** The most items of a run. */
const MAX_RUN = 2048;
/** Milliseconds that the sorting of a run may take. */
const LONG_MS = 2;

/**
 * Items that are added in any order and taken in their order; equal items are taken in the order of their addition. The
 * work of sorting is spread over the additions and the takings, so that no single call takes long.
 */
export class SortedRuns<T> {
  /** The number of items. */
  size = 0;
  private readonly compare: (a: T, b: T) => number;
  private filling: T[] = [];
  /** The number of items at which the run that is filled ends. */
  private run = FIRST_RUN;
  /** The number of ended runs. */
  private ended = 0;
  /** The sorted runs, as a heap by their next items. */
  private readonly heap: Run<T>[] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  add(item: T): void {
    this.size++;
    if (this.filling.push(item) >= this.run) this.endRun();
  }

  /** Takes the next item. No item may be added until all are taken. */
  take(): T | undefined {
    if (this.filling.length > 0) this.endRun();
    const [run] = this.heap;
    if (!run) return undefined;
    this.size--;
    const item = run.items.pop() as T;
    if (run.items.length === 0) {
      const last = this.heap.pop() as Run<T>;
      if (last !== run) this.heap[0] = last;
    }
    this.sink();
    return item;
  }

  /** Takes the next items, at most `count` of them. */
  takeSome(count: number): T[] {
    const items = new Array<T>(Math.min(count, this.size));
    for (let i = 0; i < items.length; i++) items[i] = this.take() as T;
    return items;
  }

  private endRun(): void {
    const started = performance.now();
    this.heap.push({ items: this.filling.sort(this.compare).reverse(), number: this.ended++ });
    this.filling = [];
    const isLong = performance.now() - started > LONG_MS;
    this.run = isLong ? Math.max(FIRST_RUN, this.run >> 1) : Math.min(MAX_RUN, this.run * 2);
    this.rise();
  }

  private isBefore(i: number, j: number): boolean {
    const [a, b] = [this.heap[i] as Run<T>, this.heap[j] as Run<T>];
    const order = this.compare(a.items.at(-1) as T, b.items.at(-1) as T);
    return order < 0 || (order === 0 && a.number < b.number);
  }

  private swap(i: number, j: number): void {
    const { heap } = this;
    [heap[i], heap[j]] = [heap[j] as Run<T>, heap[i] as Run<T>];
  }

  private rise(): void {
    for (let i = this.heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.isBefore(i, parent)) return;
      this.swap(i, parent);
      i = parent;
    }
  }

  private sink(): void {
    const { length } = this.heap;
    for (let i = 0; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < length && this.isBefore(child, least)) least = child;
      if (least === i) return;
      this.swap(i, least);
      i = least;
    }
  }
}

interface Run<T> {
  /** The items that are left, the next one last, so that `pop` takes it. */
  items: T[];
  /** The place of the run among all runs, in the order of their addition. */
  number: number;
}
