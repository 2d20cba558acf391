import { type Authenticate } from '../auth/authenticate.ts';
import type { Config } from '../config/options.ts';
import type { GraphqlRouteDeps } from '../http/graphql/route.ts';
import type { Observe } from '../observe/observation.ts';
import type { Connections } from './connections.ts';
/** The GraphQL face: catalog, caches and compiler over the pools. */
export declare function composeGraphql(config: Config, connections: Connections, authenticate: Authenticate, observe: Observe): GraphqlRouteDeps;
