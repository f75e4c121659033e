package check

import (
	"fmt"

	"lathe/graphops"
)

var externalUnused = rule{
	code: "external-unused", severity: Warning,
	title: "bytes of a data file belong to no tensor",
	hint:  "write the data anew, without them",
	about: `A data file holds what its tensors name by offset and length. What lies between and behind them is copied, downloaded and kept for nothing. Bytes
that align the next tensor do not count, nor do those of other models that use the file: those in the folder of the model, in that of the
data, and in the folder above the data. What could not be looked at is reported.

It comes from tools that append to a data file that is there already, so that the old weights remain in front of the new ones, and from
removing tensors from the model alone. "lathe export --external-data" writes the model with a data file of its own that holds its tensors
alone. Where they are less than a tenth of the file it is an info.`,
	model: unusedData,
}

// unusedShare is the fraction of a file from which unused bytes are a warning.
const unusedShare = 0.1

func unusedData(s *subject, report reporter) {
	for _, u := range graphops.ExternalUnused(s.model) {
		share := float64(u.Bytes) / float64(u.Size)
		problem := in(nil, "external data %q: %d of %d bytes (%s) belong to no tensor%s", u.Location, u.Bytes, u.Size, percent(share), ofWhom(u))
		problem.Fix = s.rewrite()
		if problem.Severity = Warning; share < unusedShare {
			problem.Severity = Info
		}
		report(problem)
	}
}

// percent formats a fraction without decimals, but never as 0 unless it is 0.
func percent(share float64) string {
	if share < 0.005 {
		return "less than 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// ofWhom says which models were examined.
func ofWhom(u graphops.UnusedData) string {
	text := ""
	if u.Others > 0 {
		text = fmt.Sprintf(" of this model or of %s with the same file", counted(u.Others, "other model"))
	}
	if u.Unread > 0 {
		text += fmt.Sprintf("; %s nearby could not be looked at", counted(u.Unread, "other model"))
	}
	return text
}
