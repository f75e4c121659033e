// Package runtime runs models in worker processes, never in this process. It says how a model is run
// ([Execution]), what a model in a worker can do ([Loaded]), which processes there are ([Workers]),
// and why a model did not run ([Failure]).
//
// # A run
//
// What happens in `lathe run-model m.onnx --value h --ep cuda,cpu`:
//
//  1. steps.RunModel makes a value for every input (package inputs). Package bounds follows each
//     input to its readers to find which values they accept. The report says where each value
//     comes from.
//  2. [Expose] cuts the model at h. Nothing is written, and nothing behind h runs.
//  3. [Workers].Load uses the worker that session.Env.Prepare has started meanwhile, or starts one. A
//     worker is this program with a hidden command. It receives the model's structure, which
//     refers to the weights in the original file (graphops.ImageOf), or only the path if the
//     model is unchanged. It tries the providers of --ep in order. If one cannot be used,
//     ort.DiagnoseProvider looks for the reason in the files of the library.
//  4. [Loaded].Run sends the inputs as frames. The worker reads each into a tensor of the
//     runtime, runs the model, and makes from each output what its execution.Want asks for: all
//     of it, or statistics, a histogram, errors against a second value. Outputs come back one at
//     a time.
//  5. If the runtime rejects the model or crashes, the error is a [Failure]. Package fault
//     parses the runtime's message and finds the node. Then the model is tried without
//     optimizations. If that works, an optimization is the cause. If it does not, the second
//     message may name the node better, because an optimization may have renamed it. After a
//     crash there is no message that names a node, so the node is searched for by running parts
//     of the model (fault.Bisect). Commands print the failure; the workbench also selects the
//     node.
//
// # Start-up time
//
// Finding a library and starting a worker takes longer than most steps need before their first
// run. So a step says what it will need (session.Running), and [Workers].Prepare looks for the library
// and starts one spare worker while the model is opened. It starts on the library that will most
// likely be chosen (ort.Finder.Likely), because asking a Python interpreter takes as long as
// starting a worker. Folding constants accepts any library (Execution.AnyLibrary). Comparing and
// timing wait for the choice. If the preparation fails, that is reported only if the step
// needs what failed.
//
// Models that run once, such as folded constants, proofs and types (Execution.Reuse), share a
// worker, one after another. A worker gets another model only if it has answered every request
// and has given back the memory of the model before. A model whose options may leave other things
// behind, such as a device, a profile or custom operators, gets its own worker. So does a model
// with a memory limit. If a shared worker crashes, the model is tried again in a fresh one.
//
// Which library was found is not stored for the next run of the program. The user may have
// installed another one in the meantime, and there is no quick way to notice that.
//
// # Other machines
//
// A launcher in front of the worker (--on) changes nothing above [Workers]. A model of another
// machine is a graphops.Model whose weights cannot be read here. It travels as
// graphops.Structure, in both directions, and a worker opens no file that its structure does not
// list. One worker stays on the other machine, because each login takes about a second. It opens
// the model, keeps files that were sent, and runs one session. Its command line is one word,
// because ssh passes words to a shell. Every frame ends with a newline, because srun forwards
// output by lines. A launcher is asked to end before it is killed, because a killed srun leaves
// its job running.
package runtime
