/** A replacement in JSONata's source. */
export interface Patch {
  /** Text that occurs exactly once in the source. */
  find: string;
  replace: string;
}
