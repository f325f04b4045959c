/** The most signals, each of another name, that a run keeps and has not received. A further signal is refused. */
export const MAX_KEPT_SIGNALS = 32;
/** Bytes of all signals that a run keeps and has not received, as JSON. A signal that would exceed this size is refused. */
export const MAX_SIGNAL_BYTES = 512 * 1024;
