export { createGraphql, type EmbeddedGraphql, type EmbeddedRequest, type EmbeddingClient } from './embed/resolve-on.ts';
export { installExtension } from './catalog/install-extension.ts';
