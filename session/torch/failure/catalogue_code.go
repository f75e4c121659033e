package failure

import (
	"strings"

	"lathe/graphops/pattern"
)

// ofCode are failures due to what the model's code does with values.
var ofCode = []entry{
	{
		id:      "script",
		matches: isScript,
		line:    sentenceDrawn,
		meaning: "TorchScript does not support something in the code",
		next:    always(code("rewrite that line with what TorchScript supports"), code("do not use torch.jit.script: the new exporter reads Python")),
	},
	{
		id:      "data-dependent",
		matches: says(`(?s)(?:Could not guard on data-dependent expression ([^\n]+?)(?: \(unhinted|\n|$)|Could not extract specialized \S+ from data-dependent expression (\S+)|Dynamic control flow is not supported|Data-dependent branching)`),
		meaning: "what the code does depends on values, which the exporter does not have",
		next:    withoutValues,
	},
	{
		id:      "branch-does-more",
		matches: doesMore,
		meaning: "a branch of torch.cond, or the body of a loop, may only compute results from its arguments",
		next:    always(code("do the rest before or after it"), code("compute a new value instead of changing one, such as x.add(1) for x.add_(1)")),
	},
	{
		id:      "branches-differ",
		matches: func(r raised) (string, bool) { return either(r, branchesSay, branchesMean) },
		meaning: "both branches of a torch.cond, or rounds of a loop, have to give the same structure, shapes and types, and no result may be an unchanged input",
		next:    withSameResults,
	},
}

func isScript(r raised) (string, bool) {
	for _, x := range r.raw.Chain {
		if x.Module == "torch.jit.frontend" || drawn(x.Message) {
			return "", true
		}
	}
	return "", false
}

// readsValue matches a line that converts a tensor to a number.
var readsValue = pattern.New(`\.item\(\)|\bint\(`)

// withoutValues returns the suggestions for the line that needs a value.
func withoutValues(r raised) []Suggestion {
	choose := code("choose between values with torch.where, or between code with torch.cond")
	check := code("state what a value can be with torch._check, such as torch._check(n >= 2)")
	fix := code("a branch that is the same for all inputs of this model can be fixed by an argument that is not a tensor")
	switch {
	case r.at == nil:
	case !r.at.User:
		return []Suggestion{flags("the line is in "+packageOfFile(r.at.File)+"; tracing follows one path through it", "--strategy", "legacy"), fix}
	case strings.HasPrefix(r.at.Code, "while "), strings.HasPrefix(r.at.Code, "for ") && readsValue.MatchString(r.at.Code):
		return []Suggestion{WhileLoop()}
	case strings.HasPrefix(r.at.Code, "for "):
		return []Suggestion{code("replace the loop by operations on the whole tensor, such as scores[keep] * 2")}
	case readsValue.MatchString(r.at.Code) && !branches(r.at.Code):
		return []Suggestion{check, fix}
	case readsValue.MatchString(r.at.Code):
		return []Suggestion{choose, check, fix}
	case branches(r.at.Code):
		return []Suggestion{choose, fix}
	}
	return []Suggestion{choose, check, fix}
}

// WhileLoop suggests a replacement for a loop whose end depends on values.
func WhileLoop() Suggestion {
	return code("write the loop with torch._higher_order_ops.while_loop, which the new exporter translates")
}

// branches reports whether a line of Python decides which code runs, such as an if.
func branches(line string) bool {
	return strings.HasPrefix(line, "if ") || strings.HasPrefix(line, "elif ") || strings.Contains(line, " if ")
}

// packageOfFile returns the name of the package that a file belongs to, for people.
func packageOfFile(file string) string {
	if m := inPackage.FindStringSubmatch(slashed(file)); m != nil {
		return m[1]
	}
	return "a package"
}

var (
	// branchesSay matches messages that say how the branches of torch.cond, or the iterations of a
	// loop, differ in their results.
	branchesSay = says(
		`(expected same \w+ but got [^"'\n]+?)\.?(?:["'\n]|$)`,
		`have same metadata but found:\s[^\n]*?differ in '([^'\n]+)'`,
		`(Unmatched output spec)`,
		`(Encountered aliasing during higher order op tracing)`,
		`(Expected branches to return [^\n.]+)`,
		`(Constants returned from branches must be [^\n.]+)`,
		`(Expected (?:to return|\w+ and \w+ to have) same number of outputs)`,
		`(body_fn should return the same number of elements as carried_inputs)`,
		`expected both a and b to be FakeTensor`,
	)
	// branchesMean matches messages about such a difference that do not say what differs.
	branchesMean = says(
		`(?s)\bcond\b.{0,300}(?:same pytree|must return|same structure|same dtype)`,
		`HigherOrderOperator '?(?:cond|while_loop)`,
		`doesn't work unless it is captured`,
	)
)

func either(r raised, matches ...func(raised) (string, bool)) (string, bool) {
	for _, m := range matches {
		if about, ok := m(r); ok {
			return about, true
		}
	}
	return "", false
}

// doesMore matches messages that reject a branch for another reason than a difference of results,
// for example because the branch changes a value.
func doesMore(r raised) (string, bool) {
	if _, differ := branchesSay(r); differ || !strings.Contains(r.all, "doesn't work unless it is captured") || strings.Contains(r.all, ": improper ") {
		return "", false
	}
	why := strings.TrimSuffix(whyOf(r.all), ".")
	return why, why != ""
}

func withSameResults(r raised) []Suggestion {
	same := code("let both branches return the same number of tensors, of the same shapes and types")
	anew := code("return x.clone() if a branch returns its argument")
	if strings.Contains(r.about, "aliasing") {
		return []Suggestion{anew, same}
	}
	return []Suggestion{same, anew}
}
