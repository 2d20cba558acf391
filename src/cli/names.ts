import { InvalidArgumentError } from 'commander'

/** Names between commas, as settings take them. */
export function names(text: string): readonly string[] {
  const found = text.split(',').map((name) => name.trim())
  if (found.includes('')) throw new InvalidArgumentError('It takes names between commas.')
  return found
}
