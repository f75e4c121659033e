package graphops

// Capture is an edge into a body: a value from around it that it reads.
type Capture struct {
	Value ValueID // in the body's index
	From  *Place  // that defines the value; nil where none does
	Outer ValueID // in From's index
}

// Captures are the values that the place takes from around it, in the order of
// first use. A main graph or function that lists any is not valid.
func (p *Place) Captures() []Capture {
	var out []Capture
	for _, v := range p.Graph.Index().captured {
		out = append(out, p.capture(v))
	}
	return out
}

// capture finds where a value comes from that the place does not define.
func (p *Place) capture(v ValueID) Capture {
	name := p.Graph.Index().Name(v)
	for around := p.Parent; around != nil; around = around.Parent {
		x := around.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return Capture{v, around, id}
		}
	}
	return Capture{v, nil, -1}
}

// Type is what the model says of a value of the place; of one that it captures,
// what is said where it comes from.
func (p *Place) Type(v ValueID) Type {
	x := p.Graph.Index()
	if t := x.Type(v); t.Kind != TypeUnknown || x.IsDefined(v) {
		return t
	}
	if c := p.capture(v); c.From != nil {
		return c.From.Type(c.Outer)
	}
	return Type{}
}
