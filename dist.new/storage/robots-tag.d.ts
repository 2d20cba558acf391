/**
 * An X-Robots-Tag as it may be stored: rules divided by commas, each list under an optional name of a robot
 * (developers.google.com/search/docs/crawling-indexing/robots-meta-tag). Kept as written.
 * @throws InvalidRobotsTag
 */
export declare function robotsTag(header: string | undefined): string | null;
