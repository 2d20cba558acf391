export { createGraphql } from './embed/resolve-on.js';
export { installExtension } from './catalog/install-extension.js';
