import { flushCompileCache } from 'node:module';

/** Milliseconds between two writes of the compile cache. */
const FLUSH_EVERY_MS = 3_000;

// Node.js writes its compile cache at exit, which SIGKILL prevents: the service is preloaded with this timer.
setInterval(flushCompileCache, FLUSH_EVERY_MS).unref();
