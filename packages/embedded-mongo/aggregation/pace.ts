/** The most documents that a stage gets at a time. */
const MOST = 64;
/** Milliseconds that a stage may take over the documents that it gets at a time. Then it gets fewer. */
const LONG_MS = 2;

/** The number of documents that the stages of a pipeline get at a time: few where documents are large or stages are slow. */
export class Pace {
  documents = MOST;

  /** Notes how long a stage took over so many documents. */
  note(documents: number, ms: number): void {
    if (ms > LONG_MS) this.documents = Math.max(1, documents >> 1);
    else if (documents === this.documents) this.documents = Math.min(MOST, documents * 2);
  }
}
