package check

import (
	"slices"

	"lathe/graphops"
)

// windowValues checks the attributes of a kernel against the axes of the image without batch and
// channels.
func windowValues(v values) {
	words(paddings)(v)
	if a, ok := v.given("group", graphops.AttrInt); ok {
		v.parts("group", a.Int(), 1)
	}
	plane := v.rank(0) - 2
	for _, a := range v.n.Attributes() {
		per, least := 1, int64(1)
		switch a.Name() {
		case "strides", "dilations", "kernel_shape":
		case "pads":
			per, least = 2, -1<<63
		case "output_padding", "output_shape":
			least = -1 << 63
		default:
			continue
		}
		list := a.Ints()
		if a.Kind() != graphops.AttrInts || a.RefName() != "" {
			continue
		}
		switch {
		case plane > 0 && len(list) != per*plane:
			v.unfit("attribute %q has %s, expected %d: input %q has rank %d", a.Name(), counted(len(list), "number"), per*plane, v.n.Input(0), plane+2)
		case len(list) > 0 && slices.Min(list) < least:
			v.wrong("attribute %q is %v, expected numbers of at least %d", a.Name(), list, least)
		}
	}
}

// pooledPlane checks the sizes that a MaxRoiPool produces for each region.
func pooledPlane(v values) {
	a, ok := v.given("pooled_shape", graphops.AttrInts)
	if !ok {
		return
	}
	if list := a.Ints(); len(list) != 2 || slices.Min(list) < 1 {
		v.wrong("attribute \"pooled_shape\" is %v, expected two numbers of at least 1", list)
	}
}
