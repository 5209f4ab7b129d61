/** RFC 3339 text and milliseconds since the epoch, for every year from 0000 to 9999. */

/** An instant in milliseconds since the epoch, cut; `exact` where nothing was cut off. */
export interface Instant {
  readonly ms: number;
  readonly exact: boolean;
}

const FORM = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Returns the instant of a valid timestamp; before the epoch it is negative. */
export function instantOf(text: string): Instant {
  const [, year, month, day, hour, minute, second, fraction = "", sign, zoneHour = 0, zoneMinute = 0] =
    FORM.exec(text) ?? [];
  // Date.UTC takes the years 0 to 99 for those of the 20th century.
  const midnight = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === "-" ? -60 : 60);
  const ms = midnight + (seconds - offset) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
  return { ms, exact: /^0*$/.test(fraction.slice(3)) };
}

/** Returns milliseconds from 0 to `LAST_MS` in UTC, with a fraction only where there is one. */
export function textOf(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
