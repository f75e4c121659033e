// Package session is one working session on a model: the steps that a person
// can take, the history of the steps taken, the recipe that repeats them, and
// the jobs that run in the background. It does not know a terminal: commands,
// recipes and the workbench all use the same steps.
//
// # A run
//
// What happens in `lathe run-model m.onnx --value h --ep cuda,cpu`:
//
//  1. steps.RunModel makes a value for every input (package inputs). Package bounds follows each
//     input to its readers to find which values they accept. The report says where each value
//     comes from.
//  2. [Expose] cuts the model at h. Nothing is written, and nothing behind h runs.
//  3. [Workers].Load uses the worker that Env.Prepare has started meanwhile, or starts one. A
//     worker is this program with a hidden command. It receives the model's structure, which
//     refers to the weights in the original file (graphops.ImageOf), or only the path if the
//     model is unchanged. It tries the providers of the chain in order. If one cannot be used,
//     ort.DiagnoseProvider looks for the reason in the files of the library.
//  4. [Loaded].Run sends the inputs as frames. The worker reads each into a tensor of the
//     runtime, runs the model, and makes from each output what its graphops.Want asks for: all
//     of it, or statistics, a histogram, errors against a second value. Outputs come back one at
//     a time.
//  5. If the runtime rejects the model or crashes, the error is a [Failure]. Package fault
//     parses the runtime's message and finds the node. A second try without optimizations shows
//     whether one of them is the cause or renamed a node. The node of a crash is searched for
//     (fault.Bisect). Commands print the failure; the workbench also selects the node.
//
// # Start-up time
//
// Finding a library and starting a worker takes longer than most steps need before their first
// run. So a step says what it will need ([Running]), and [Workers].Prepare looks for the library
// and starts one spare worker while the model is opened. It starts on the library that will most
// likely be chosen (ort.Finder.Likely), because asking a Python interpreter takes as long as
// starting a worker. Folding constants accepts any library (Execution.AnyLibrary). Comparing and
// timing wait for the choice. Errors of the preparation are reported only if a step needs what
// failed.
//
// Models that run once, such as folded constants, proofs and types (Execution.Reuse), share a
// worker. That requires that every request was answered and that the options left nothing but
// memory, which was given back. A model with a memory limit, a device, or figures of its own
// gets its own worker. If a shared worker crashes, the model is tried again in a fresh one.
// Nothing about libraries is kept between two runs of the program, because no key could show
// whether a Python's answer is still true.
//
// # Other machines
//
// A launcher in front of the worker (--on) changes nothing above [Workers]. A model of another
// machine is a graphops.Model whose weights cannot be read here. It travels as
// graphops.Structure, in both directions, and a worker opens no file that its structure does not
// list. One worker stays with the launcher, because each login costs a second: it opens the
// model, keeps files that were sent, and takes the first session. Its command line is one word,
// because ssh passes words to a shell. Every frame ends with a newline, because srun forwards
// output by lines. A launcher is asked to end before it is killed, because a killed srun leaves
// its job running.
package session
