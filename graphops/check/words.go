package check

import (
	"cmp"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// fewTold is the maximum number of things that one message lists.
const fewTold = 3

// andMore returns the number of things that a message leaves out, as text.
func andMore(count int) string {
	if count <= fewTold {
		return ""
	}
	return fmt.Sprintf(" and %d more", count-fewTold)
}

// counted formats a number of things: "no inputs", "1 input", "2 inputs".
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

// anyOf lists allowed values, with texts quoted.
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

// eitherOf joins words with commas, and with "or" before the last one.
func eitherOf(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// typeList lists types, or a part of them if there are many.
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

// domainName returns a domain for messages.
func domainName(domain string) string { return cmp.Or(domain, "ai.onnx") }

// functionName returns a function for messages.
func functionName(k graphops.FunctionKey) string {
	return fmt.Sprintf("%q", k.Domain+"::"+withOverload(k))
}

// withOverload returns the name of a function within its domain.
func withOverload(k graphops.FunctionKey) string {
	if k.Overload == "" {
		return k.Name
	}
	return k.Name + ":" + k.Overload
}

// nodeName returns the name of another node of a place for messages.
func nodeName(p *graphops.Place, i int) string { return shape.NodeName(i, p.Graph.Nodes()[i]) }
