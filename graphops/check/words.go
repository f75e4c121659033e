package check

import (
	"cmp"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// fewTold is how many of many things one message names.
const fewTold = 3

// andMore counts what a message that names fewTold of many things leaves out.
func andMore(count int) string {
	if count <= fewTold {
		return ""
	}
	return fmt.Sprintf(" and %d more", count-fewTold)
}

// counted is a number of things: "no inputs", "1 input", "2 inputs".
func counted(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	default:
		return fmt.Sprintf("%d %ss", n, what)
	}
}

// anyOf lists values that something may have, texts quoted.
func anyOf[T int64 | string](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
		if s, ok := any(v).(string); ok {
			words[i] = fmt.Sprintf("%q", s)
		}
	}
	return eitherOf(words)
}

// eitherOf lists things, the last one after an "or".
func eitherOf(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// typeList lists types: all of a few.
func typeList(list []graphops.Type) string {
	const few = 6
	var words []string
	for _, t := range list[:min(few, len(list))] {
		words = append(words, t.String())
	}
	if more := len(list) - few; more > 0 {
		return strings.Join(words, ", ") + fmt.Sprintf(" or one of %d more", more)
	}
	return eitherOf(words)
}

// domainName is a domain as messages name it.
func domainName(domain string) string { return cmp.Or(domain, "ai.onnx") }

// functionName is a function as messages name it.
func functionName(k graphops.FunctionKey) string {
	return fmt.Sprintf("%q", k.Domain+"::"+withOverload(k))
}

// withOverload is the name of a function within its domain.
func withOverload(k graphops.FunctionKey) string {
	if k.Overload == "" {
		return k.Name
	}
	return k.Name + ":" + k.Overload
}

// nodeName is another node of a place as messages name it.
func nodeName(p *graphops.Place, i int) string { return shape.NodeName(i, p.Graph.Nodes()[i]) }
