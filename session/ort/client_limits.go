package ort

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
	"lathe/session/text"
)

// The limits of what a client takes from a worker, besides those of the protocol.
const (
	maxDescribed = 128 << 20 // bytes of memory that the messages of one answer take, without Data
	maxParts     = 64 << 20  // bytes of results about a value, besides those of each requested element
	maxStructure = 2 << 30   // bytes of the structure of a model, which is a protobuf message
	maxMachine   = 1 << 20   // bytes of the description of a machine
	maxWords     = 64 << 10  // bytes of one message of the runtime
	maxNames     = 1024      // providers in a hello
	maxName      = 100       // characters of a short text, such as a version or the name of a provider
	maxPath      = 4096      // bytes of a path in a hello
)

// unknownMemory is the memory of a machine that does not report it.
const unknownMemory = 16 << 30

// defaultKept is the default of Options.MaxAnswer: half of this machine's memory.
var defaultKept = sync.OnceValue(func() int64 {
	memory := int64(unknownMemory)
	if known := machine.Memory(os.DirFS("/")); known != nil {
		memory = *known
	}
	return memory / 2
})

// mostKept returns how many bytes of values one answer may have for memory. A worker whose own memory
// is limited has no larger values.
func (o Options) mostKept() int64 {
	switch {
	case o.MaxAnswer > 0:
		return o.MaxAnswer
	case o.MemoryLimit > 0:
		return min(o.MemoryLimit, defaultKept())
	}
	return defaultKept()
}

// tooMuchError says that an answer has more values than fit in memory. The worker did nothing wrong.
type tooMuchError struct{ most int64 }

func (e *tooMuchError) Error() string {
	return fmt.Sprintf("it was killed because its answer takes more than %s of memory here, the limit; request fewer values at a time", text.Bytes(e.most))
}

// room counts down the bytes that one answer may still take.
type room struct{ left, most int64 }

// take subtracts size, which is not negative.
func (r *room) take(size int64) error {
	if size > r.left {
		return &tooMuchError{r.most}
	}
	r.left -= size
	return nil
}

// describe counts a message of the answer. It returns an error if the answer has too many.
func (cl *call) describe(weight int64) error {
	if cl.described += weight; cl.described > maxDescribed {
		return fmt.Errorf("the messages of the answer to request %d take more than %s", cl.id, text.Bytes(maxDescribed))
	}
	return nil
}

// next returns what was requested of the next value, and whether it was requested at all. It returns
// an error if the value has another name.
func (cl *call) next(name string) (want graphops.Want, err error) {
	wanted := ""
	switch at := cl.came; {
	case cl.yield == nil || at >= max(len(cl.want), len(cl.all)):
		return want, fmt.Errorf("value %q arrived, but the request expects no further value", cut(name, maxName))
	case len(cl.want) > 0:
		want = cl.want[at]
		wanted = want.Name
	default:
		want = graphops.Want{Elements: true}
		wanted = cl.all[at]
	}
	if name != wanted {
		return want, fmt.Errorf("value %q arrived instead of %q", cut(name, maxName), wanted)
	}
	cl.came++
	return want, nil
}

// checkEnd returns an error if the end of an answer arrives too early, or is not that of this request.
func (cl *call) checkEnd(reply *wire.Reply) error {
	hasContent := cl.contentMost > 0 || cl.contentTo != nil
	switch {
	case !cl.arriving.complete(), cl.content != nil && !cl.content.Full():
		return fmt.Errorf("request %d ended inside a value", cl.id)
	case !cl.req.IsAnsweredBy(reply):
		return fmt.Errorf("request %d was answered as another kind of request is", cl.id)
	case hasContent && cl.content == nil:
		return fmt.Errorf("request %d ended without the data that it is about", cl.id)
	case cl.yield != nil && cl.came < max(len(cl.want), len(cl.all)):
		return fmt.Errorf("request %d ended after %d of %d values", cl.id, cl.came, max(len(cl.want), len(cl.all)))
	}
	return nil
}

// wantsParts reports whether results besides the elements are requested.
func wantsParts(w graphops.Want) bool {
	return w.Profile || w.First > 0 || w.Grid != nil || w.Window != nil || w.Against != nil || w.Extent || w.Bins != nil
}

// mostParts returns how many bytes the requested results about a value may have, for each of its
// tensors.
func mostParts(w graphops.Want) int64 {
	const element, cell, bin, most = 16, 128, 16, 1 << 40
	out := int64(maxParts) + element*min(max(w.First, 0), most)
	if g := w.Grid; g != nil {
		out += cell * min(int64(max(g.Rows, 0))*int64(max(g.Columns, 0)), tensor.MaxCells)
	}
	if s := w.Window; s != nil {
		rows, columns := min(max(s.Window.Rows, 0), 1<<20), min(max(s.Window.Columns, 0), 1<<20)
		out += element * rows * columns
	}
	if w.Bins != nil {
		out += bin * int64(len(w.Bins.Edges))
	}
	return out
}

// checkParts returns an error if results about a value are not those that were requested. Whoever
// requested one finds it, or the reason why it is missing.
func checkParts(parts []graphops.Part, w graphops.Want, tensors int) error {
	if !wantsParts(w) {
		tensors = 0
	}
	if len(parts) != tensors {
		return fmt.Errorf("results about %d tensors arrived, expected %d", len(parts), tensors)
	}
	for i := range parts {
		if err := checkPart(&parts[i], w); err != nil {
			return fmt.Errorf("results about tensor %d: %w", i, err)
		}
	}
	return nil
}

var errMissing = errors.New("a requested result is missing, and there is no reason for it")

func checkPart(p *graphops.Part, w graphops.Want) error {
	missing := w.Profile && p.Profile == nil && p.Strings == nil || w.First > 0 && p.First == nil || w.Grid != nil && p.Grid == nil ||
		w.Window != nil && p.Window == nil || w.Against != nil && p.Metrics == nil || w.Extent && p.Extent == nil || w.Bins != nil && p.Counts == nil
	if missing && p.Unable == "" {
		return errMissing
	}
	for _, t := range []*tensor.Tensor{p.First, p.Window} {
		if t == nil {
			continue
		}
		if err := t.Check(); err != nil {
			return err
		}
	}
	if p.First != nil && (len(p.First.Shape) != 1 || p.First.Len() > max(w.First, 0)) {
		return fmt.Errorf("the first elements have the shape %s", tensor.FormatShape(p.First.Shape))
	}
	if g := p.Grid; g != nil && (g.Rows < 0 || g.Columns < 0 || w.Grid == nil || g.Rows > w.Grid.Rows || g.Columns > w.Grid.Columns || len(g.Cells) != g.Rows*g.Columns) {
		return fmt.Errorf("a heat map of %d×%d cells has %d", g.Rows, g.Columns, len(g.Cells))
	}
	if w.Bins != nil && p.Counts != nil && len(p.Counts) != len(w.Bins.Edges)-1 {
		return fmt.Errorf("%d bins were counted, expected %d", len(p.Counts), len(w.Bins.Edges)-1)
	}
	return nil
}

// checkUsed returns an error if a worker says that it uses a provider that was not requested. Every
// session of ONNX Runtime has the CPU besides.
func (o SessionOptions) checkUsed(provider string) error {
	isUsed := func(p Provider) bool { return p.Name == provider }
	if slices.ContainsFunc(o.Providers, isUsed) || provider == ep.CPU {
		return nil
	}
	return fmt.Errorf("the worker says that it uses the execution provider %q, which was not requested", cut(provider, maxName))
}

// jobID matches the ids of Slurm's jobs.
var jobID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9][0-9_+]{0,40}$`) })

// checkHello makes a worker's description of itself safe to print, or returns an error.
func checkHello(h *wire.Hello) error {
	switch {
	case h.SlurmJob != "" && !jobID().MatchString(h.SlurmJob):
		return fmt.Errorf("%q is not the id of a Slurm job", beginning(h.SlurmJob))
	case len(h.LibraryPath) > maxPath:
		return fmt.Errorf("the library's path has %d bytes, expected at most %d", len(h.LibraryPath), maxPath)
	case len(h.CompiledProviders) > maxNames || len(h.Unlimited) > maxNames:
		return fmt.Errorf("%d providers and %d missing parts, expected at most %d", len(h.CompiledProviders), len(h.Unlimited), maxNames)
	}
	h.LatheVersion, h.LibraryVersion = shown(h.LatheVersion), shown(h.LibraryVersion)
	for i, name := range h.CompiledProviders {
		h.CompiledProviders[i] = shown(name)
	}
	return nil
}

// shown returns a short text of a worker, such as a name, in a form that can be printed.
func shown(name string) string {
	name = oneLine(cut(name, 4*maxName))
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName]) + "…"
	}
	return name
}

// cut returns the beginning of a text, of at most most bytes and an ellipsis.
func cut(words string, most int) string {
	if len(words) <= most {
		return words
	}
	for most > 0 && !utf8.RuneStart(words[most]) {
		most--
	}
	return words[:most] + "…"
}

// checkTimes returns an error if a worker reports more times than runs were requested, or a negative
// one.
func checkTimes[T ~int64](times []T, most int64) error {
	if int64(len(times)) > most {
		return fmt.Errorf("the worker reports %d times, at most %d were requested", len(times), most)
	}
	if slices.ContainsFunc(times, func(t T) bool { return t < 0 }) {
		return errors.New("the worker reports a negative time")
	}
	return nil
}
