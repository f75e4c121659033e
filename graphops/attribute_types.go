package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Types returns the types of a TYPE_PROTO or TYPE_PROTOS attribute.
func (a *Attribute) Types() []Type {
	var out []Type
	for f := range fieldsOf(a.head) {
		if (f.num == fieldnum.AttrTP || f.num == fieldnum.AttrTPs) && f.typ == protowire.BytesType {
			out = append(out, decodeType(f.value))
		}
	}
	return out
}

// SparseTensors returns all sparse tensors of the attribute.
func (a *Attribute) SparseTensors() []*SparseTensor {
	if a.sparse == nil {
		return a.sparses
	}
	return append([]*SparseTensor{a.sparse}, a.sparses...)
}
