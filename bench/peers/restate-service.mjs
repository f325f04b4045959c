import { createServer } from 'node:http2';
import { createEndpointHandler, RestatePromise, service, workflow } from '@restatedev/restate-sdk';

/** Restate's side of the comparison: `node restate-service.mjs <port of the target>`; prints its own port. */
const target = `http://127.0.0.1:${process.argv[2]}/`;
const get = async () => (await fetch(target)).json();

/** Every HTTP call is journalled by itself. */
const flow = service({
  name: 'flow',
  handlers: {
    /** Three calls, one after the other, then a value computed from the input. */
    run: async (ctx, { n }) => {
      await ctx.run('first', get);
      await ctx.run('second', get);
      await ctx.run('third', get);
      return { n: n + 1 };
    },
    /** `n` calls at the same time. */
    fork: (ctx, { n }) =>
      RestatePromise.all(Array.from({ length: n }, (_, at) => ctx.run(`branch${at}`, get))),
    /** `n` calls, one after the other. */
    loop: async (ctx, { n }) => {
      let last;
      for (let at = 0; at < n; at++) last = await ctx.run(`call${at}`, get);
      return last;
    },
    parent: (ctx, input) => ctx.serviceClient(flow).child(input),
    child: async (_ctx, { n }) => ({ n: n + 1 }),
  },
});

/** Waits for a signal. */
const approval = workflow({
  name: 'approval',
  handlers: {
    run: (ctx) => ctx.promise('approve').get(),
    approve: (ctx, signal) => ctx.promise('approve').resolve(signal),
  },
});

const services = [flow, approval];
const server = createServer(createEndpointHandler({ services, logger: () => undefined }));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
