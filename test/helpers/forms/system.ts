import { ServiceBroker } from 'moleculer';
import { brokerOptions } from '../../../moleculer.config.ts';
import { brokerOn } from '../brokers.ts';
import { CalleeProcess } from '../callee.ts';
import { killNats, TestNats } from '../nats.ts';
import { waitFor } from '../wait.ts';
import { addFormsGateway } from './gateway.ts';
import { formsMiddlewares, formsService } from './service.ts';

/** A gateway and the service `forms` behind it. */
export interface FormsSystem {
  url: string;
  /** Waits until the service has told that line since the last call. */
  said(line: string): Promise<void>;
  /** The lines that the service has told. */
  lines(): readonly string[];
  /** Ends the process of the service at once; only over NATS. */
  kill?(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both in this process. */
export async function formsInOneProcess(): Promise<FormsSystem> {
  const lines: string[] = [];
  const broker = new ServiceBroker({
    ...brokerOptions,
    nodeID: 'forms',
    logger: false,
    middlewares: formsMiddlewares(),
  });
  broker.createService(formsService((line) => lines.push(line)));
  const gateway = addFormsGateway(broker);
  await broker.start();
  return systemOf(gateway.url(), () => lines, {
    async stop() {
      closeConnections(broker);
      await broker.stop();
    },
  });
}

/** Starts the gateway in this process, and the service in a process of its own. */
export async function formsOverNats(): Promise<FormsSystem> {
  const nats = await TestNats.start();
  const { broker } = brokerOn(nats.url, 'gateway');
  const gateway = addFormsGateway(broker);
  await broker.start();
  const callee = await CalleeProcess.start(nats.url, 'forms', 'forms/process.ts');
  await waitFor('the service', () => broker.registry.getActionEndpoints('forms.upload'));
  return systemOf(gateway.url(), () => callee.lines(), {
    kill: () => callee.kill(),
    async stop() {
      await callee.kill();
      closeConnections(broker);
      broker.options.tracking = { enabled: true, shutdownTimeout: 1 };
      await broker.stop();
      await killNats();
    },
  });
}

function systemOf(
  url: string,
  lines: () => readonly string[],
  ends: Pick<FormsSystem, 'kill' | 'stop'>,
): FormsSystem {
  let from = 0;
  return {
    url,
    lines,
    async said(line) {
      from = await waitFor(line, () => {
        const at = lines().indexOf(line, from);
        return at >= 0 && at + 1;
      });
    },
    ...ends,
  };
}

function closeConnections(broker: ServiceBroker): void {
  const { server } = broker.getLocalService('api') as unknown as {
    server: { closeAllConnections(): void };
  };
  server.closeAllConnections();
}
