/** The most signals, each of another name, that a run keeps and has not received. A further signal is refused. */
export const MAX_KEPT_SIGNALS = 32;
/** Bytes of all signals that a run keeps and has not received, as JSON. A signal that would exceed this size is refused. */
export const MAX_SIGNAL_BYTES = 512 * 1024;
/**
 * Ids of posted signals that a run keeps, so that a repeated request posts no signal again. A client repeats a request
 * soon after it; a request that is repeated after so many others is only known while its signal is the latest of its
 * name.
 */
export const MAX_POSTED_IDS = 64;
