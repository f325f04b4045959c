import { stopServers } from './server.ts';

/** The global tear-down of jest: stops the shared server. */
export default stopServers;
