/**
 * A process with one node that offers the services `things` and `streams`, for tests that kill or freeze the process.
 * Arguments: the address of nats-server and the name of the node. Writes a line for each call.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionSchema, Context } from 'moleculer';
import { brokerOn } from './brokers.ts';
import { streamService } from './stream-service.ts';

const [url = '', nodeID = ''] = process.argv.slice(2);
const tell = (line: string) => process.stdout.write(`${line}\n`);

const { broker } = brokerOn(url, nodeID);
broker.createService({
  name: 'things',
  actions: {
    write: async (ctx: Context<{ ms: number }>) => {
      tell(`write ${ctx.params.ms}`);
      await sleep(ctx.params.ms);
      return nodeID;
    },
    read: {
      idempotent: true,
      handler: async (ctx: Context<{ ms: number }>) => {
        tell('read');
        await sleep(ctx.params.ms);
        return nodeID;
      },
    } as ActionSchema,
    keyed: {
      idempotentWith: 'key',
      waitParam: 'ms',
      handler: async (ctx: Context<{ ms: number }>) => {
        tell('keyed');
        await sleep(ctx.params.ms);
        return nodeID;
      },
    } as ActionSchema,
  },
});
broker.createService(streamService(tell));
await broker.start();
tell('ready');
