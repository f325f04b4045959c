const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

/** Whether other machines cannot reach the host. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.has(host);
