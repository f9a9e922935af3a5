/**
 * The value that a record has under a key. undefined for what every object inherits: a task, a metric or a field may be called
 * `constructor`.
 */
export function ownValue<T>(
  record: Readonly<Record<string, T>> | undefined,
  key: string | number,
): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
