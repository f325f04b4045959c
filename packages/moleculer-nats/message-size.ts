/** Bytes of one message. nats-server refuses a message above 1 MiB, its default, and ends the connection. */
export const MAX_MESSAGE_BYTES = 900 * 1024;

export const isTooLarge = (data: Uint8Array): boolean => data.length > MAX_MESSAGE_BYTES;
