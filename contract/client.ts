/** The HTTP client of a request. Nested calls carry their client, as they carry their caller. */
export interface Client {
  /** IPv4 or IPv6 address in its canonical form; `unknown` when the connection has already ended. */
  readonly address: string;
  readonly userAgent: string | null;
}
