package text

import (
	"fmt"
	"io"
)

// Printer writes lines and tables. After the first error it writes nothing more, so that callers
// need to check only Err at the end.
type Printer struct {
	w   io.Writer
	err error
}

// NewPrinter returns a printer that writes to w.
func NewPrinter(w io.Writer) *Printer { return &Printer{w: w} }

// Line writes one line.
func (p *Printer) Line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// Table writes a table.
func (p *Printer) Table(t Table) {
	if p.err == nil {
		p.err = t.WriteText(p.w, "")
	}
}

// Err returns the first error, or nil if everything was written.
func (p *Printer) Err() error { return p.err }
