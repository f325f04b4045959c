import type { Patch } from './patch.ts';

/** Adds `$integer`. The transform operator copies its integers as text, because parsing would make other numbers of them. */
export const INTEGERS: readonly Patch[] = [
  {
    find: `    staticFrame.bind('floor', `,
    replace: `    staticFrame.bind('integer', defineFunction(toInteger, '<(sn)-:x>'));
    staticFrame.bind('floor', `,
  },
  {
    find: `    function string(arg, prettify = false) {`,
    replace: `    function string(arg, prettify = false, isCopy = false) {`,
  },
  {
    find: `                return val && isFunction(val) ? '' : val;`,
    replace: `                if(isCopy && isInteger(val)) return val.rawJSON;
                return val && isFunction(val) ? '' : val;`,
  },
  {
    find: `        return JSON.parse(fn.string(arg));`,
    replace: `        return JSON.parse(fn.string(arg, false, true));`,
  },
];

/** Takes the zones of `instants.ts`, and refuses times that do not exist. */
export const INSTANTS: readonly Patch[] = [
  {
    find: `            // parse the hour and minute offsets
            // assume for now the format supplied is +hhmm
            const offset = parseInt(timezone);
            offsetHours = Math.floor(offset / 100);
            offsetMinutes = offset % 100;
        }`,
    replace: `        }
        const offsetMillis = offsetOf(timezone, millis);
        const offsetSign = offsetMillis < 0 ? '-' : '+';
        offsetMinutes = Math.trunc(Math.abs(offsetMillis) / 60000);
        offsetHours = Math.trunc(offsetMinutes / 60);
        offsetMinutes %= 60;`,
  },
  {
    find: `                if (offset >= 0) {
                    componentValue = '+' + componentValue;
                }`,
    replace: `                componentValue = offsetSign + componentValue;`,
  },
  {
    find: `        const offsetMillis = (60 * offsetHours + offsetMinutes) * 60 * 1000;
`,
    replace: ``,
  },
  {
    find: `                        return offsetHours * 60 + offsetMinutes;`,
    replace: `                        if (Math.abs(offsetHours) > 23 || offsetMinutes > 59) {
                            throw { message: JSON.stringify(value) + ' is no offset of a zone' };
                        }
                        return (value[0] === '-' ? -1 : 1) * (Math.abs(offsetHours) * 60 + offsetMinutes);`,
  },
  {
    find: `    function parseDateTime(timestamp, picture) {`,
    replace: `    function parseDateTime(timestamp, picture, zone) {`,
  },
  {
    find: `            const now = this.environment.timestamp; // must get the fixed timestamp from jsonata`,
    replace: `            const timestampMillis = this.environment.timestamp.getTime();
            const now = new Date(timestampMillis + offsetOf(zone, timestampMillis));`,
  },
  {
    find: `            // validate and fill in components
            if (components.M > 0) {
                components.M -= 1;  // Date.UTC requires a zero-indexed month
            } else {
                components.M = 0; // default to January
            }`,
    replace: ``,
  },
  {
    find: `                const firstJan = Date.UTC(components.Y, 0);
                const offsetMillis = (components.d - 1) * 1000 * 60 * 60 * 24;
                const derivedDate = new Date(firstJan + offsetMillis);
                components.M = derivedDate.getUTCMonth();
                components.D = derivedDate.getUTCDate();`,
    replace: `                const derivedDate = new Date(new Date(0).setUTCFullYear(components.Y, 0, components.d));
                const isOfYear = derivedDate.getUTCFullYear() === components.Y;
                components.M = derivedDate.getUTCMonth() + 1;
                components.D = isOfYear ? derivedDate.getUTCDate() : 0;`,
  },
  {
    find: `                components.H = components.h === 12 ? 0 : components.h;`,
    replace: `                components.H = components.h === 12 ? 0 : components.h > 12 ? 24 : components.h;`,
  },
  {
    find: `            var millis = Date.UTC(components.Y, components.M, components.D, components.H, components.m, components.s, components.f);
            if(components.Z || components.z) {
                // adjust for timezone
                millis -= (components.Z || components.z) * 60 * 1000;
            }
            return millis;`,
    replace: `            components.f = Math.round(components.f);
            const offset = components.Z ?? components.z;
            const millis = instantOf(components, offset === undefined ? zone : undefined, timestamp);
            return millis - (offset ?? 0) * 60 * 1000;`,
  },
  {
    find: `    function toMillis(timestamp, picture) {`,
    replace: `    function toMillis(timestamp, picture, zone) {`,
  },
  {
    find: `            if (!iso8601regex.test(timestamp)) {
                throw {`,
    replace: `            const millis = millisOfIso(timestamp, zone);
            if (millis === null) {
                throw {`,
  },
  {
    find: `            return Date.parse(timestamp);
        } else {
            return parseDateTime.call(this, timestamp, picture);`,
    replace: `            return millis;
        } else {
            return parseDateTime.call(this, timestamp, picture, zone);`,
  },
  {
    find: `defineFunction(datetime.toMillis, '<s-s?:n>')`,
    replace: `defineFunction(datetime.toMillis, '<s-s?s?:n>')`,
  },
];

/** Counts and cuts code points (`code-points.ts`). Positions of matches are in code points, those of regular expressions as well. */
export const CODE_POINTS: readonly Patch[] = [
  {
    find: `                    return new RegExp(pattern, flags);`,
    replace: `                    return compileRegExp(pattern, flags);`,
  },
  {
    find: `        var closure = function(str, fromIndex) {`,
    replace: `        var closure = function(str, fromIndex, fromPoint = 0) {`,
  },
  {
    find: `            if(match !== null) {
                result = {
                    match: match[0],
                    start: match.index,
                    end: match.index + match[0].length,
                    groups: []
                };`,
    replace: `            if(match !== null) {
                var matchEnd = match.index + match[0].length;
                assertWholeMatch(str, match.index, matchEnd);
                var startPoint = fromPoint + countCodePoints(str, fromIndex || 0, match.index);
                var endPoint = startPoint + countCodePoints(str, match.index, matchEnd);
                result = {
                    match: match[0],
                    start: startPoint,
                    end: endPoint,
                    groups: []
                };`,
  },
  {
    find: `                    if(re.lastIndex >= str.length) {`,
    replace: `                    if(matchEnd >= str.length) {`,
  },
  {
    find: `                        var next = closure(str, re.lastIndex);`,
    replace: `                        var next = closure(str, matchEnd, endPoint);`,
  },
  {
    find: `                if (typeof matches !== 'undefined') {
                    while (typeof matches !== 'undefined' && (typeof limit === 'undefined' || count < limit)) {
                        result += str.substring(position, matches.start);`,
    replace: `                if (typeof matches !== 'undefined') {
                    var slices = codePointSlices(str);
                    while (typeof matches !== 'undefined' && (typeof limit === 'undefined' || count < limit)) {
                        result += slices(position, matches.start);`,
  },
  {
    find: `                        position = matches.start + matches.match.length;
                        count++;
                        matches = await evaluateMatcher(matches.next);
                    }
                    result += str.substring(position);`,
    replace: `                        position = matches.start + length(matches.match);
                        count++;
                        matches = await evaluateMatcher(matches.next);
                    }
                    result += slices(position);`,
  },
  {
    find: `                result = str.split(separator, limit);`,
    replace: `                result = separator === '' ? stringToArray(str).slice(0, limit) : str.split(separator, limit);`,
  },
  {
    find: `                    var start = 0;
                    while (typeof matches`,
    replace: `                    var start = 0;
                    var slices = codePointSlices(str);
                    while (typeof matches`,
  },
  {
    find: `                        result.push(str.substring(start, matches.start));`,
    replace: `                        result.push(slices(start, matches.start));`,
  },
  {
    find: `                        result.push(str.substring(start));`,
    replace: `                        result.push(slices(start));`,
  },
];
