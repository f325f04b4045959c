/** A text by which a secret is recognised. */
export interface Pattern {
  text: string;
  /** Characters before and after `text` that contain some bits of the secret: of base64, 0 or 1. */
  before: number;
  after: number;
}

export const patternOf = (text: string): Pattern => ({ text, before: 0, after: 0 });
