package text

import (
	"fmt"
	"io"
)

// Printer writes lines and tables until the first error, which it keeps.
type Printer struct {
	w   io.Writer
	err error
}

// NewPrinter prints to w.
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

// Err is the first error, nil if everything was written.
func (p *Printer) Err() error { return p.err }
