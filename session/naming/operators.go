package naming

import (
	"strconv"

	"lathe/graphops"
	"lathe/graphops/edit"
)

// addOperators adds the operators that a new node of a place can have: the functions of the model,
// and those of the definitions in the opset of the place. Other names by which edit.Operator finds
// an operator are known, but not offered.
func (l *List) addOperators(m *graphops.Model, p *graphops.Place) {
	for _, o := range edit.Operators(m, p) {
		l.Add(o.Name, o.About)
		if _, op, stated := edit.SplitOperator(o.Name); stated {
			l.Know(op)
		}
	}
	l.Know("cast")
	l.Know("identity")
}

// addOperatorAttributes adds the attributes that an operator has.
func (l *List) addOperatorAttributes(m *graphops.Model, p *graphops.Place, op string) {
	form, ok := edit.FormOf(m, p, op)
	if !ok {
		return
	}
	for _, a := range form.Attributes {
		l.Add(a.Name, a.About)
	}
}

// addOperands adds the inputs that an operator has, by name. Their positions are known, but not
// offered.
func (l *List) addOperands(m *graphops.Model, p *graphops.Place, op string) {
	form, ok := edit.FormOf(m, p, op)
	if !ok {
		return
	}
	for i, in := range form.Inputs {
		l.Add(in.Name, in.About)
		l.Know(strconv.Itoa(i))
	}
}
