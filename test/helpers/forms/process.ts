/**
 * A process with one node that offers the service `forms`, for tests that kill the process. Arguments: the address of
 * nats-server and the name of the node. Writes a line for what becomes of a stream.
 */
import { brokerOn } from '../brokers.ts';
import { formsMiddlewares, formsService } from './service.ts';

const [url = '', nodeID = ''] = process.argv.slice(2);
const tell = (line: string) => process.stdout.write(`${line}\n`);

const { broker } = brokerOn(url, nodeID, undefined, formsMiddlewares());
broker.createService(formsService(tell));
await broker.start();
tell('ready');
