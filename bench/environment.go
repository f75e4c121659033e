package bench

import (
	"fmt"

	"lathe/bench/machine"
)

// Environment is the machine that a measurement was made on.
type Environment = machine.Environment

// AddEnvironment adds the description of the machine to the report. It also adds warnings if the
// machine was busy, saves power, or limits the processors.
func (r *Report) AddEnvironment(e Environment) {
	r.Environment = e
	add := func(k Kind, format string, args ...any) {
		r.Warnings = append(r.Warnings, Warning{k, fmt.Sprintf(format, args...)})
	}
	if IsBusy(e) {
		add(BusyBefore, "other work before the measurement: load %.2f on %d processors", float64(*e.Load), *e.Cores)
	}
	if e.Governor != nil && *e.Governor == "powersave" {
		add(Governor, "the processor's frequency governor is %q: the processor may run below its full speed", *e.Governor)
	}
	if e.CPULimit != nil && e.Cores != nil && float64(*e.CPULimit) < float64(*e.Cores) {
		add(CPULimit, "a control group allows %.2f of %d processors", float64(*e.CPULimit), *e.Cores)
	}
}

// IsBusy reports whether other processes use much of a machine's processors.
func IsBusy(e Environment) bool {
	return e.Load != nil && e.Cores != nil && float64(*e.Load) > busyShare*float64(*e.Cores)
}

// Disturb adds disturbances of the machine to the warnings of the i-th run, whose verdict then
// mentions them.
func (r *Report) Disturb(i int, list []machine.Disturbance) {
	run := &r.Runs[i]
	for _, d := range list {
		run.Warnings = append(run.Warnings, Warning{Kind(d.Kind), d.Text})
	}
	run.Verdict = verdict(run.Warnings)
}

// busyShare is the fraction of the processors that other processes may use before the measurement
// without a warning.
const busyShare = 0.25
