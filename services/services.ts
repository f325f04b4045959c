import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { ServiceName } from '../environment/process.ts';
import { apiService } from './api/api.service.ts';
import { assistantService } from './assistant/assistant.service.ts';
import { configurationsService } from './configurations/configurations.service.ts';
import { connectionsService } from './connections/connections.service.ts';
import { devModeService } from './dev-mode/dev-mode.service.ts';
import { eventsService } from './events/events.service.ts';
import { flowsService } from './flows/flows.service.ts';
import { identityService } from './identity/identity.service.ts';
import { issuesService } from './issues/issues.service.ts';
import { recordingsService } from './recordings/recordings.service.ts';
import { runsService } from './runs/runs.service.ts';
import { triggersService } from './triggers/triggers.service.ts';
import { workflowsService } from './workflows/workflows.service.ts';
import { workspacesService } from './workspaces/workspaces.service.ts';

/** How each service is made. A new service adds a line. */
const SERVICES: Record<ServiceName, () => ServiceSchema> = {
  api: apiService,
  identity: identityService,
  workspaces: workspacesService,
  issues: issuesService,
  connections: connectionsService,
  configurations: configurationsService,
  flows: flowsService,
  workflows: workflowsService,
  'dev-mode': devModeService,
  runs: runsService,
  triggers: triggersService,
  events: eventsService,
  assistant: assistantService,
  recordings: recordingsService,
};

/** Makes the named services on the broker; who is named decides nothing else. */
export function createServices(broker: ServiceBroker, names: readonly ServiceName[]): void {
  // The gateway last: it takes requests when the others are there.
  for (const name of [...names].sort((a, b) => Number(a === 'api') - Number(b === 'api'))) {
    broker.createService(SERVICES[name]());
  }
}
