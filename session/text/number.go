package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bytes formats a size with a unit that is a power of 1024, such as "86.3 KiB". Sizes below 1 KiB
// are exact.
func Bytes(n int64) string {
	if n < 0 {
		return "-" + Bytes(-max(n, -math.MaxInt64)) // the smallest int64 has no positive counterpart
	}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n)/1024, 0
	for v >= 1023.95 && unit < 4 {
		v /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", v, "KMGTP"[unit])
}

// Count formats a count with separators, as in "1,234,567".
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Short formats a count with at most three digits and a unit, as in "1.2M".
func Short(n int64) string {
	v := float64(n)
	for _, u := range []string{"", "K", "M", "G", "T"} {
		if math.Abs(v) < 999.5 {
			if u == "" || math.Abs(v) >= 99.95 {
				return fmt.Sprintf("%.0f%s", v, u)
			}
			return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + u
		}
		v /= 1000
	}
	return fmt.Sprintf("%.0fP", v)
}

// Plural formats a count with its noun, as in "1 node" and "2 nodes".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(int64(n)) + " " + noun + "s"
}

// Elapsed formats a duration in ms, in seconds with one decimal, or from a minute on in whole
// seconds.
func Elapsed(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

// Ago formats how long ago something happened, as in "3 hours ago".
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Plural(int(d/time.Minute), "minute") + " ago"
	case d < 48*time.Hour:
		return Plural(int(d/time.Hour), "hour") + " ago"
	default:
		return Plural(int(d/(24*time.Hour)), "day") + " ago"
	}
}
