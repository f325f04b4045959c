/** The most signals, each of another name, that a run keeps and has not received. A further one is refused. */
export const MAX_KEPT_SIGNALS = 32;
/** Bytes of the bodies of these signals together, as JSON. A signal that would exceed them is refused. */
export const MAX_SIGNAL_BYTES = 512 * 1024;
