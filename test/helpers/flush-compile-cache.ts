import { flushCompileCache } from 'node:module';

/** Milliseconds from the start of the process until the compile cache is written. By then a server has loaded its modules. */
const FLUSH_AFTER_MS = 3_000;

// Node.js writes its compile cache at exit, which SIGKILL prevents: the service is preloaded with this timer.
setTimeout(flushCompileCache, FLUSH_AFTER_MS).unref();
