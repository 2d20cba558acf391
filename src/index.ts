export { installExtension } from './catalog/install-extension.ts'
export { createGraphql, type EmbeddedGraphql, type EmbeddedRequest, type EmbeddingClient } from './embed/resolve-on.ts'
export { createService, type Service } from './service/create-service.ts'
