import type {
  EventDelivery,
  EventSubscription,
} from '../../../services/events/contract/resources.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';

/** A subscription with its secret. */
export type Subscribed = EventSubscription & { secret: string };

/** A person with a workspace whose events are subscribed to. */
export class Subscriber {
  readonly owner: Person;
  readonly workspaceId: number;

  constructor(owner: Person, workspaceId: number) {
    this.owner = owner;
    this.workspaceId = workspaceId;
  }

  static async register(url: string): Promise<Subscriber> {
    const owner = await registerVerified(url, 'Subscriber');
    return new Subscriber(owner, await createWorkspace(owner));
  }

  async subscribe(url: string, events: readonly string[], secret?: string): Promise<Subscribed> {
    const path = `/workspaces/${this.workspaceId}/event-subscriptions`;
    const body = { url, events, ...(secret ? { secret } : {}) };
    const answer = await this.owner.call<Subscribed>('POST', path, { body });
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }

  async subscriptions(): Promise<EventSubscription[]> {
    const path = `/workspaces/${this.workspaceId}/event-subscriptions`;
    return (await this.owner.call<EventSubscription[]>('GET', path)).body;
  }

  async deliveries({ id }: { id: number }, query = ''): Promise<EventDelivery[]> {
    const path = `/event-subscriptions/${id}/deliveries${query}`;
    return (await this.owner.call<EventDelivery[]>('GET', path)).body;
  }

  async raise(title: string): Promise<{ id: number }> {
    const path = `/workspaces/${this.workspaceId}/issues`;
    const body = { title, description: '' };
    return (await this.owner.call<{ id: number }>('POST', path, { body })).body;
  }

  async rename(id: number, title: string): Promise<void> {
    const path = `/workspaces/${this.workspaceId}/issues/${id}`;
    const { status, text } = await this.owner.call('PUT', path, { body: { title } });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  }
}
