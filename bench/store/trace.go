package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"lathe/bench/profile"
	"lathe/graphops"
)

// isTrace reports whether a file that begins with head is a list of trace events. No result begins
// like that.
func isTrace(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	return bytes.HasPrefix(head, []byte("[")) || bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"traceEvents"`))
}

// readTrace returns a result for a trace that ONNX Runtime wrote. The result names no model, and
// its nodes are those of the optimized graph that ran.
func readTrace(f io.ReadSeeker) (*Result, error) {
	t, err := profile.ReadWritten(f)
	if errors.Is(err, profile.ErrNoRuns) {
		return nil, errors.New("is a list of events without a complete run of ONNX Runtime; " + expected)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, expected)
	}
	r := &Result{Kind: KindProfile, trace: t}
	r.Document, err = json.Marshal(struct {
		Schema string `json:"schema"`
		*profile.Result
		Notes []string `json:"notes"`
	}{"lathe.profile/1", t.Summary(), notesOf(t)})
	return r, err
}

// notesOf returns remarks about a trace: where its names come from, and what is missing in it.
func notesOf(t *profile.Trace) []string {
	notes := []string{"a trace that ONNX Runtime wrote: nodes have the names of the graph that it ran"}
	if t.Cut {
		notes = append(notes, "the trace is cut off: its last run is ignored")
	}
	if t.Sessions > 1 {
		notes = append(notes, fmt.Sprintf("the file holds %d sessions; the first that ran is shown", t.Sessions))
	}
	if t.Unread > 0 {
		notes = append(notes, fmt.Sprintf("%d events cannot be read", t.Unread))
	}
	return notes
}

// IsTrace reports whether a result was read from a trace of ONNX Runtime.
func (r *Result) IsTrace() bool { return r.trace != nil }

// TimesOn returns the times of a profile for the nodes of a model. If the result is a trace, the
// times are assigned to the nodes of m by the names of the nodes that ran.
func (r *Result) TimesOn(m *graphops.Model) (*profile.Result, error) {
	if r.trace == nil {
		return r.times()
	}
	times := profile.Explain(r.trace, profile.Subject{Model: m})
	if len(times.Nodes) > 0 && times.UnjoinedShare >= 1-1e-9 {
		return nil, errors.New("is a trace of another model: this model has none of the nodes in it")
	}
	return times, nil
}
