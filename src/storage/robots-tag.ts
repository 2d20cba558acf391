import { invalidRobotsTag, unusableHeaderValue } from './errors.ts'
import { isHeaderText } from './media-type.ts'

const WORDS = ['all', 'noindex', 'nofollow', 'none', 'nosnippet', 'indexifembedded', 'notranslate', 'noimageindex']
const WITH_VALUE = ['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after']
const PREVIEWS = ['none', 'standard', 'large']
const MAX_CHARACTERS = 1000

/** A date has commas of its own: it ends where a rule or a robot's name follows. */
const DATE = new RegExp(`^(unavailable_after):\\s*([^\\s,].*?)\\s*(?=,\\s*(?:${[...WORDS, ...WITH_VALUE].join('|')}|[\\w-]+:)|,?$)`, 'i')
const RULE = new RegExp(`^(${WITH_VALUE.join('|')}):\\s*([^,]*)`, 'i')
const ROBOT = /^([^,:]+):\s*/
const WORD = /^[^,:]+/

/**
 * An X-Robots-Tag as it may be stored: rules divided by commas, each list under an optional name of a robot
 * (developers.google.com/search/docs/crawling-indexing/robots-meta-tag). Kept as written.
 * @throws InvalidRobotsTag
 */
export function robotsTag(header: string | undefined): string | null {
  if (!header) return null
  if (!isHeaderText(header)) throw unusableHeaderValue('x-robots-tag', header)
  if (header.length > MAX_CHARACTERS) throw invalidRobotsTag(`longer than ${MAX_CHARACTERS} characters`)
  let rest = header.trim()
  while (rest !== '') rest = checkRule(rest).trimStart().replace(/^,\s*/, '')
  return header
}

/** Looks at what `text` begins with, and answers what is behind it. */
function checkRule(text: string): string {
  const rule = DATE.exec(text) ?? RULE.exec(text)
  if (rule) {
    const [whole, name = '', value = ''] = rule
    checkValue(name, value.trim())
    return text.slice(whole.length)
  }
  const robot = ROBOT.exec(text)
  if (robot) {
    const rules = text.slice(robot[0].length)
    if (rules === '' || rules.startsWith(','))
      throw invalidRobotsTag(`X-Robots-Tag user agent "${robot[1]?.trim()}" has no rules specified`)
    return rules
  }
  const word = WORD.exec(text)?.[0].trim()
  if (!word) throw invalidRobotsTag('X-Robots-Tag header contains empty rule')
  if (!WORDS.includes(word.toLowerCase())) throw invalidRobotsTag(`Invalid X-Robots-Tag rule: "${word}"`)
  return text.slice(word.length)
}

function checkValue(name: string, value: string): void {
  const wrong = (what: string) => invalidRobotsTag(`X-Robots-Tag "${name}" value must be ${what}, got: "${value}"`)
  if (value === '') throw invalidRobotsTag(`X-Robots-Tag rule "${name}" requires a value`)
  switch (name.toLowerCase()) {
    case 'unavailable_after':
      if (Number.isNaN(Date.parse(value))) throw wrong('a valid date')
      return
    case 'max-image-preview':
      if (!PREVIEWS.includes(value)) throw wrong(`one of: ${PREVIEWS.join(', ')}`)
      return
    default:
      if (!/^(?:-1|\d+)$/.test(value)) throw wrong('an integer >= -1')
  }
}
