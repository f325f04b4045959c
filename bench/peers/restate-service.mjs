import { createServer } from 'node:http2';
import { createEndpointHandler, service } from '@restatedev/restate-sdk';

/** Restate's side of the comparison: `node restate-service.mjs <port of the target>`; prints its own port. */
const target = `http://127.0.0.1:${process.argv[2]}/`;
const get = async () => (await fetch(target)).json();

/** Three HTTP calls, each journalled, then a value computed from the input. */
const flow = service({
  name: 'flow',
  handlers: {
    run: async (ctx, { n }) => {
      await ctx.run('first', get);
      await ctx.run('second', get);
      await ctx.run('third', get);
      return { n: n + 1 };
    },
  },
});

const server = createServer(createEndpointHandler({ services: [flow], logger: () => undefined }));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
