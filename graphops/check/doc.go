// Package check finds what is wrong with a model and what is risky in it: all that the checker
// of the onnx package finds, and problems that would only appear when the model is loaded, run or
// changed. It runs nothing.
//
// # How it is built
//
// Each check is one row of the table (rules.go): a code, which never changes its meaning, a
// severity, a description, and one function, which examines the model, or is called for each place,
// node or tensor of it. testdata/CODE.txtar has models with the problem, and models that almost
// have it.
//
// # Severities
//
// An Error is something that ONNX Runtime refuses to load, or that fails in every run. A Warning
// violates a rule of the standard that ONNX Runtime does not enforce, so that other tools may
// reject the model, or it works but is most likely not intended. An Info is worth knowing. If
// versions of ONNX Runtime differ, Options.Runtime selects one.
//
// # How a check is made
//
// What happens in `lathe check m.onnx --runtime-load`, and in the workbench after P:
//
//  1. [Model] runs every row of the table. Facts that several rules need, such as which nodes
//     are live or what package shape infers, are in the subject (subject.go) and computed when a
//     rule first asks. Elements of weights are read only with Options.Weights.
//  2. A rule reports a [Problem]: where it is, what it is, and a hint. If a step can fix the
//     problem, it also has a [Fix]: the name of the step and its options, as on a command line.
//     A Fix is data, so it can name a step although this package must not import one.
//  3. With --runtime-load a worker loads the model, and package fault parses its message. If a
//     problem is about the same node, value or kind, the message is added to it. Otherwise the
//     message becomes a problem with a code of its own (steps/check_runtime.go).
//  4. The report is text, JSON, or a reporting.Diagnosis. docs/checks.md and --explain are made
//     from the same table.
//  5. The workbench runs the same rules in the background once types are inferred
//     (tui/checkup.go), without weights and without a runtime. In the doctor, w and r run the
//     step with weights and with the runtime, and f opens the form of the step that fixes the
//     selected problem.
//
// A severity follows what ONNX Runtime does, not what the standard says, because users care whether
// a model runs: onnx.checker rejects models that run and accepts models that do not load. So the
// same fault is an error in a node that runs and a warning in a node that nothing needs.
package check
