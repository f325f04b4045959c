/** The response to a request, without the headers that every response carries. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body; null for an empty one. */
  readonly body: string | null;
  /** A file that is sent as the body. */
  readonly file?: string;
}
