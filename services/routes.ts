import type { ActionContract, Method } from '../contract/contract.ts';
import { isLocalDevelopment } from '../environment/environment.ts';
import { locationPathOf } from '../mixins/gateway/routing/location.ts';
import type { Route } from '../mixins/gateway/routing/router.ts';
import { contracts } from './contracts.ts';

/** Every routed action of every contract. */
export function allRoutes(): Route[] {
  const routes = contracts
    .flatMap((service) =>
      Object.entries(service.actions as Record<string, ActionContract>).map(([name, contract]) => ({
        action: `${service.name}.${name}`,
        contract,
      })),
    )
    .flatMap(({ action, contract }): Omit<Route, 'location'>[] => {
      if (!contract.route || (contract.developmentOnly && !isLocalDevelopment)) return [];
      const [method, path] = contract.route.split(' ') as [Method, string];
      return [{ action, contract, method, path }];
    });
  return routes.map((route) => ({ ...route, location: locationPathOf(route, routes) }));
}
