package check

import (
	"fmt"

	"lathe/graphops"
)

var externalUnused = rule{
	code: "external-unused", severity: Warning,
	title: "some bytes of a data file belong to no tensor",
	hint:  "write the data again without them",
	about: `Tensors refer to a data file by offset and length. Bytes between or after them waste space and
download time. Bytes that align the next tensor are not counted, nor are those that belong to other
models which use the same file. To find such models, the check reads the folder of the model, that
of the data file, and the folder above it. It reports files that it could not read.

The causes are tools that append to an existing data file, so that the old weights stay in it, and
tools that remove tensors from the model file only. "lathe export --external-data" writes the model
with a data file that contains only its own tensors. If less than a tenth of the file is unused, the
problem is an info.`,
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

// ofWhom returns the end of the message, which says that other models were examined, or could not
// be read.
func ofWhom(u graphops.UnusedData) string {
	text := ""
	if u.Others > 0 {
		text = fmt.Sprintf(" of this model or of %s that uses the file", counted(u.Others, "other model"))
	}
	if u.Unread > 0 {
		text += fmt.Sprintf("; %s nearby could not be read", counted(u.Unread, "other model"))
	}
	return text
}
