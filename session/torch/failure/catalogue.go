package failure

import (
	"regexp"
	"strings"
)

// entry is a failure that is known.
type entry struct {
	id string
	// matches tells whether a failure is this one, and what it is about.
	matches func(raw Raw, stage, all string) (about string, ok bool)
	meaning string
	next    func(raw Raw, about, all string) []Suggestion
}

// says matches what any message says; the first group that holds something is what it is about.
func says(pattern string) func(Raw, string, string) (string, bool) {
	re := regexp.MustCompile(pattern)
	return func(_ Raw, _, all string) (string, bool) {
		m := re.FindStringSubmatch(all)
		if m == nil {
			return "", false
		}
		for _, group := range m[1:] {
			if group != "" {
				return group, true
			}
		}
		return "", true
	}
}

// endsBy matches a child that ended without a word, in one of these ways.
func endsBy(ways ...string) func(Raw, string, string) (string, bool) {
	return func(raw Raw, stage, _ string) (string, bool) {
		for _, way := range ways {
			if stage == "killed" && strings.Contains(raw.Signal, way) {
				return "", true
			}
		}
		return "", false
	}
}

func code(lines ...string) func(Raw, string, string) []Suggestion {
	return func(Raw, string, string) []Suggestion {
		var out []Suggestion
		for _, l := range lines {
			out = append(out, Suggestion{Kind: "code", Text: l})
		}
		return out
	}
}

func flags(text string, flags ...string) Suggestion { return Suggestion{"flags", text, flags} }

// packageOf is what installs a module of another name.
var packageOf = map[string]string{"cv2": "opencv-python", "PIL": "pillow", "yaml": "pyyaml", "sklearn": "scikit-learn", "onnx_ir": "onnx-ir"}

// catalogue has the failures in the order in which they are looked for: the environment first,
// then the example, operators, code, and what is a defect of the exporter.
var catalogue = []entry{
	{
		id:      "missing-package",
		matches: func(raw Raw, _, _ string) (string, bool) { return raw.Missing, raw.Missing != "" },
		meaning: "a package is not there in this Python",
		next: func(raw Raw, about, _ string) []Suggestion {
			name, _, _ := strings.Cut(about, ".")
			if other, ok := packageOf[name]; ok {
				name = other
			}
			out := []Suggestion{{Kind: "install", Text: "install it: " + raw.pip("install "+name)}}
			if name == "torch" {
				out = append(out, Suggestion{Kind: "code", Text: "name the Python that has it with --python, or activate its environment"})
			}
			if name == "onnxscript" || name == "onnx-ir" {
				out = append(out, flags("take the old exporter, which does without it", "--strategy", "legacy"))
			}
			return out
		},
	},
	{
		id:      "functions-not-converted",
		matches: says(`(?s)(?:convert_version|version converter).{0,400}functions|version conversion pass does not support functions`),
		meaning: "the installed onnxscript cannot bring models with functions to another opset",
		next: func(raw Raw, _, _ string) []Suggestion {
			return []Suggestion{{Kind: "install", Text: "bring it up to date: " + raw.pip("install -U onnxscript")}, flags("leave --opset out; lathe export --opset raises it afterwards")}
		},
	},
	{
		id:      "axes-not-converted",
		matches: says(`Failed to convert '(dynamic_axes)' to 'dynamic_shapes'`),
		meaning: "free axes have to be told in the structure of the arguments",
		next:    code("name inputs by their path below the parameter of forward, as --dynamic batch.masks.0:0=batch"),
	},
	{
		id:      "specialized",
		matches: says(`(?s)(?:marked (\S+) as dynamic but your code specialized it to be a constant|inferred a static shape of \d+ for dimension (\S+?)\.?(?:\s|$))`),
		meaning: "an axis that is to be free is a constant in the model's code",
		next: func(_ Raw, about, all string) []Suggestion {
			if m := constantText.FindStringSubmatch(all); m != nil && (m[1] == "0" || m[1] == "1") {
				return []Suggestion{flags("give an example of size 2 or more on that axis", "--input", "NAME=f32[2,…]")}
			}
			return []Suggestion{
				{Kind: "code", Text: "take the size from the tensor, as x.shape[0] or -1, wherever the code has the number; " + about + " is the axis"},
				flags("leave that axis out of --dynamic, and export a model of that one size"),
			}
		},
	},
	{
		id:      "constraints",
		matches: says(`(?s)(?:Constraints violated \(([^)]*)\)|Not all values of (\S+) .{0,200}satisfy the generated guard)`),
		meaning: "the code wants more of a free axis than that it is free",
		next: func(_ Raw, _, all string) []Suggestion {
			var out []Suggestion
			if m := fixesText.FindStringSubmatch(all); m != nil {
				for line := range strings.SplitSeq(strings.TrimSpace(m[1]), "\n") {
					if line = strings.TrimSpace(line); !fixText.MatchString(line) {
						break // a traceback follows
					}
					out = append(out, Suggestion{Kind: "code", Text: "in dynamic_shapes: " + line})
				}
			}
			return append(out, Suggestion{Kind: "code", Text: "give the axis as torch.export.Dim.AUTO, which takes what the code wants"})
		},
	},
	{
		id: "no-onnx-function",
		matches: func(raw Raw, _, _ string) (string, bool) {
			return strings.Join(raw.MissingOps, ", "), len(raw.MissingOps) > 0
		},
		meaning: "the new exporter has no ONNX function for an operator",
		next: func(raw Raw, about, _ string) []Suggestion {
			if space, _, ok := strings.Cut(about, "."); ok && space != "aten" && space != "prims" {
				return []Suggestion{
					flags("translate it by a table of your own, {torch.ops."+about+": function}", "--translations", "FILE.py:TABLE"),
					{Kind: "code", Text: "write it with operators of PyTorch"},
				}
			}
			return []Suggestion{
				{Kind: "install", Text: "a later exporter may have it: " + raw.pip("install -U torch onnxscript")},
				flags("translate it by a table of your own", "--translations", "FILE.py:TABLE"),
				flags("take the old exporter", "--strategy", "legacy"),
			}
		},
	},
	{
		id:      "old-exporter-lacks",
		matches: says(`(?:Exporting the operator '([^']+)' to ONNX opset version|unrecognized namespace (\S+?)\.)`),
		meaning: "the old exporter has no symbolic function for an operator, at this opset at least",
		next: func(_ Raw, about, _ string) []Suggestion {
			return []Suggestion{
				flags("a later opset may have it", "--opset", "20"),
				flags("take the new exporter", "--strategy", "non-strict,strict"),
				flags("register a symbolic function", "--symbolic", "FILE.py:REGISTER"),
			}
		},
	},
	{
		id:      "data-dependent",
		matches: says(`(?s)(?:Could not guard on data-dependent expression ([^\n]+?)(?: \(unhinted|\n|$)|Could not extract specialized \S+ from data-dependent expression (\S+)|Dynamic control flow is not supported|Data-dependent branching)`),
		meaning: "what the code does depends on values, which the exporter does not have",
		next:    code("choose between values with torch.where, or between code with torch.cond", "tell what a value can be with torch._check, as torch._check(n >= 2)", "a branch that is the same for all inputs of this model can be fixed by an argument that is no tensor"),
	},
	{
		id:      "branches-differ",
		matches: says(`(?s)(Unmatched output spec|Cond doesn't work unless it is captured|Expected to return same number of outputs|(?:torch\.)?cond.{0,300}(?:same pytree|must return|same structure|same dtype)|HigherOrderOperator '?(?:cond|while_loop))`),
		meaning: "both branches of a torch.cond have to give the same structure, shapes and types, and neither an input as it is",
		next:    code("have both branches return as many tensors, of the same shapes and types", "return x.clone() where a branch gives what it was given"),
	},
	{
		id:      "decomposition",
		matches: func(_ Raw, stage, _ string) (string, bool) { return "", stage == "decompose" },
		meaning: "the exporter broke while it took operators apart, which is a defect of it",
		next: func(raw Raw, _, _ string) []Suggestion {
			return []Suggestion{flags("capture the graph in another way", "--strategy", "strict,legacy"), {Kind: "install", Text: "bring it up to date: " + raw.pip("install -U torch onnxscript")}}
		},
	},
	{
		id:      "translation-defect",
		matches: func(_ Raw, stage, _ string) (string, bool) { return "", stage == "translate" },
		meaning: "the exporter has the operator and broke while it translated it, which is often a defect of one version",
		next: func(raw Raw, _, _ string) []Suggestion {
			return []Suggestion{{Kind: "install", Text: "try another version: " + raw.pip("install -U torch onnxscript") + ", or the one before"}, flags("take the old exporter", "--strategy", "legacy")}
		},
	},
	{
		id:      "timeout",
		matches: func(raw Raw, _, _ string) (string, bool) { return "", raw.Timeout > 0 },
		meaning: "it was still at it when its time was over",
		next: func(raw Raw, _, _ string) []Suggestion {
			return []Suggestion{flags("give it longer", "--timeout", (10 * raw.Timeout).String()), {Kind: "code", Text: "a smaller example is exported sooner"}}
		},
	},
	{
		id:      "ended",
		matches: endsBy("exit status "),
		meaning: "the interpreter ended before it answered: the model's code, or a package that it imports, calls os._exit or breaks the interpreter",
		next:    code("run the file by itself and see how far it comes"),
	},
	{
		id:      "crashed",
		matches: endsBy("signal: segmentation fault", "signal: aborted", "signal: bus error", "signal: illegal instruction", "signal: floating point exception"),
		meaning: "native code of this Python crashed; faulthandler says on standard error where",
		next:    code("try without packages that the export does not need", "upgrade the package that crashes"),
	},
	{
		id:      "killed",
		matches: func(_ Raw, stage, _ string) (string, bool) { return "", stage == "killed" },
		meaning: "the child was ended without a word, most likely for want of memory",
		next: func(Raw, string, string) []Suggestion {
			return []Suggestion{flags("give a smaller example", "--input", "NAME=f32[2,…]"), {Kind: "code", Text: "export where there is more memory"}}
		},
	},
	{
		id:      "forward",
		matches: func(_ Raw, stage, _ string) (string, bool) { return "", stage == "forward" },
		meaning: "the model does not run in PyTorch on its example, before anything is exported",
		next: func(Raw, string, string) []Suggestion {
			return []Suggestion{flags("give an example that fits", "--input", "NAME=f32[…]")}
		},
	},
}

var (
	constantText = regexp.MustCompile(`(?:specialized it to be a constant \(|static shape of )(\d+)`)
	fixText      = regexp.MustCompile(`^\w+ = (?:Dim\([^()]*\)|[\w*+/ -]+|None\b.*)$`)
	fixesText    = regexp.MustCompile(`(?s)Suggested fixes:[^\n]*\n(.*?)(?:\n\s*\n|$)`)
)
