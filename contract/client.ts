/** The HTTP client for which a call is made. It travels with nested calls, as the caller does. */
export interface Client {
  /** IPv4 or IPv6 address in its canonical form; `unknown` when its connection is already gone. */
  readonly address: string;
  readonly userAgent: string | null;
}
