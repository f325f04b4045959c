/** A parent for the tests to kill: starts a server on the folder of its argument and says where. */
import { startEmbeddedMongo } from '../index.ts';

const server = await startEmbeddedMongo({ folder: process.argv[2] ?? '' });
process.stdout.write(`${JSON.stringify({ uri: server.uri, pid: server.process.pid })}\n`);
