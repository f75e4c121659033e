package machine

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The kinds of Disturbance.
const (
	OtherWork     = "other_work"     // other processes used processor time
	Frequency     = "frequency"      // processors became slower
	Heat          = "heat"           // processors were slowed down because of heat
	Throttled     = "throttled"      // a control group stopped processes
	Stolen        = "stolen"         // the host ran other machines
	Swapped       = "swapped"        // memory was read back from disk
	DeviceSlowed  = "device_slowed"  // the driver slowed a device down
	DeviceClock   = "device_clock"   // a device's clock changed
	DeviceSharing = "device_sharing" // other processes used memory of a device
)

// Disturbance is an event on the machine that may have made a measurement inaccurate.
type Disturbance struct {
	Kind string
	Text string
}

// Look has the counters at one moment. Ours is the processor time that all processes of the
// measurement have used until then, in seconds. It includes the processes that read the counters.
type Look struct {
	Counters
	Ours Number
}

// Share adds to l the GPUs that another process of the same measurement uses on this machine. If
// both processes use the same GPU, their own memory on it is added up, so that it does not count as
// other processes' memory.
func (l *Look) Share(devices []GPU) {
	for _, g := range devices {
		i := slices.IndexFunc(l.GPUs, func(h GPU) bool { return h.UUID == g.UUID })
		switch {
		case i < 0:
			l.GPUs = append(l.GPUs, g)
		case g.Own != nil && l.GPUs[i].Own != nil:
			sum := *l.GPUs[i].Own + *g.Own
			l.GPUs[i].Own = &sum
		}
	}
}

// Thresholds above which a disturbance is reported. A disturbance of this size can change a median
// by about 1 %, which is the default precision.
const (
	otherShare     = 0.05 // of the processors, but at least otherLeast of one
	otherLeast     = 0.1
	frequencyShare = 0.05 // between the highest and lowest frequency
	throttledShare = 0.01 // of the time
	stolenShare    = 0.01 // of the time of all processors
	clockShare     = 0.05
	sharingBytes   = 64 << 20 // a device's driver may use that much more or less by itself
)

// Disturbances returns the disturbances between the first and last of some looks at one machine, in
// a fixed order. Only changes of frequencies and clocks need looks in between; the others follow
// from the first and the last look.
func Disturbances(looks []Look) []Disturbance {
	if len(looks) < 2 {
		return nil
	}
	d := &disturbances{first: looks[0], last: looks[len(looks)-1]}
	d.seconds = float64(d.last.Seconds - d.first.Seconds)
	if !(d.seconds > 0) || math.IsInf(d.seconds, 0) {
		return nil
	}
	d.processors()
	d.frequency(looks)
	d.heat()
	d.quota()
	d.swap()
	for i := range d.last.GPUs {
		d.device(looks, i)
	}
	return d.list
}

type disturbances struct {
	first, last Look
	seconds     float64
	list        []Disturbance
}

func (d *disturbances) add(kind, format string, args ...any) {
	d.list = append(d.list, Disturbance{kind, fmt.Sprintf(format, args...)})
}

// grown returns by how much a counter grew from a to b. The second result is false if one of the
// two is unknown or the counter went backwards.
func grown[N Number | int64](a, b *N) (float64, bool) {
	if a == nil || b == nil || *b < *a {
		return 0, false
	}
	return float64(*b) - float64(*a), true
}

func (d *disturbances) processors() {
	if d.last.Processors == nil || *d.last.Processors < 1 {
		return
	}
	n := float64(*d.last.Processors)
	if busy, ok := grown(d.first.Busy, d.last.Busy); ok {
		other := (busy - float64(d.last.Ours-d.first.Ours)) / d.seconds
		if other > max(otherLeast, otherShare*n) {
			d.add(OtherWork, "other work took %.1f of %.0f processors", other, n)
		}
	}
	if stolen, ok := grown(d.first.Stolen, d.last.Stolen); ok {
		if share := stolen / d.seconds / n; share > stolenShare {
			d.add(Stolen, "the host ran other machines for %.1f %% of the time", 100*share)
		}
	}
}

func (d *disturbances) frequency(looks []Look) {
	var all []float64
	for _, l := range looks {
		if l.MHz != nil && *l.MHz > 0 {
			all = append(all, float64(*l.MHz))
		}
	}
	if len(all) == 0 {
		return
	}
	if lo, hi := slices.Min(all), slices.Max(all); lo < hi*(1-frequencyShare) {
		d.add(Frequency, "the processors' frequency was between %.0f and %.0f MHz", lo, hi)
	}
}

func (d *disturbances) heat() {
	if n, ok := grown(d.first.HeatThrottles, d.last.HeatThrottles); ok && n > 0 {
		d.add(Heat, "processors were slowed down by heat %.0f times", n)
	}
}

func (d *disturbances) quota() {
	a, b := d.first.Quota, d.last.Quota
	if a == nil || b == nil {
		return
	}
	if held, ok := grown(&a.Seconds, &b.Seconds); ok && held > throttledShare*d.seconds {
		d.add(Throttled, "a control group held processes back for %.0f ms of %.1f s, in %d of %d periods", 1000*held, d.seconds, b.Throttled-a.Throttled, b.Periods-a.Periods)
	}
}

func (d *disturbances) swap() {
	if n, ok := grown(d.first.SwappedIn, d.last.SwappedIn); ok && n > 0 {
		d.add(Swapped, "%.0f pages of memory were read back from disk", n)
	}
}

// device adds the disturbances of the i-th GPU. It ignores looks in which the i-th GPU is another
// one.
func (d *disturbances) device(looks []Look, i int) {
	last := d.last.GPUs[i]
	var slowed []string
	var clocks []float64
	most := int64(0)
	for _, l := range looks {
		if i >= len(l.GPUs) || l.GPUs[i].UUID != last.UUID {
			continue
		}
		g := l.GPUs[i]
		for _, s := range g.Slowed {
			if !slices.Contains(slowed, s) {
				slowed = append(slowed, s)
			}
		}
		if g.SM != nil && *g.SM > 0 {
			clocks = append(clocks, float64(*g.SM))
		}
		if g.Used != nil && g.Own != nil {
			most = max(most, *g.Used-*g.Own)
		}
	}
	if len(slowed) > 0 {
		d.add(DeviceSlowed, "%s was slowed down: %s", last.Name, strings.Join(slowed, ", "))
	}
	if len(clocks) > 0 {
		if lo, hi := slices.Min(clocks), slices.Max(clocks); lo < hi*(1-clockShare) {
			d.add(DeviceClock, "the clock of %s was between %.0f and %.0f MHz", last.Name, lo, hi)
		}
	}
	if first := d.first.GPUs; len(first) > i && first[i].Used != nil && first[i].Own != nil {
		if other := most - (*first[i].Used - *first[i].Own); other > sharingBytes {
			d.add(DeviceSharing, "other processes took %d MiB of the memory of %s", other>>20, last.Name)
		}
	}
}
