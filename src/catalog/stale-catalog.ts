/** The schema of the database has moved on since a catalog was reflected: reflect again. */
export class StaleCatalog extends Error {
  override readonly name = 'StaleCatalog'
}
