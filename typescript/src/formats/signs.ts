export interface Sniffed {
  readonly format: string;
  readonly place: string;
}
export function sniff(_document: unknown): Sniffed[] {
  return [];
}
export function sniffEvents(_events: Iterable<unknown>): Sniffed[] {
  return [];
}
