// Package torch uses the PyTorch of the user's own Python. A child process imports the model,
// reports how it is called, exports it, and runs it beside the exported model. Lathe itself reads
// or unpickles nothing of Python; tensors are exchanged as files with their elements.
//
// The child answers one question after another (bridge/main.py). Exceptions of the user's code or
// of PyTorch are returned as data, a failure.Raw. So is an unexpected end of the child.
//
// # How an export is made
//
// What happens in `lathe torch export net.py:Net --dynamic x:0=batch -o net.onnx`:
//
//  1. steps.TorchExport calls [Open] for each strategy. That starts a child: one script, made
//     from bridge/*.py, in the user's folder and Python. Questions and answers use file
//     descriptors that the user's code does not have. What that code prints goes to standard
//     error. The child makes the model, calls it once, and describes it ([Description]).
//  2. steps/torch_free.go finds which dynamic axes belong to inputs and which to outputs. It
//     rejects an example whose sizes do not fit a dynamic axis. [Bridge.Export] exports into a
//     folder of its own.
//  3. An exception comes back as a failure.Raw: classes, messages, and frames, with a mark on
//     those of the user. failure.Distil looks it up in a table (failure/catalogue.go). The
//     report of an earlier export is parsed into the same Raw.
//  4. The exported file is opened, and axes get back the symbols that the exporter lost.
//     steps.Validate compares it with the model in the child, which is still there.
//     validate_torch_lost.go tries inputs that disappeared and the example in other sizes,
//     torch_free.go checks that each dynamic axis ran at some other size, and torch_advice.go turns
//     a wrong result into a failure like the others. If outputs differ, the child runs once more
//     with hooks around every module, and modules.First names the first module whose arguments
//     are right and whose result is wrong.
//     A model with a cache is also compared with itself, step by step and all at once.
//  5. A right file is saved. Otherwise the next strategy starts in a new child, because tracing
//     leaves marks on a model and the peak memory of one attempt must not count for another.
//
// # Caches
//
// A cache of transformers is an object with tensors in layers. bridge/caches.py shows it as nested
// dictionaries wherever tensors are looked for, and makes it again of other tensors. Exporters get a
// forward that takes the dictionaries. bridge/cache_axes.py finds the axes of such a model, and
// bridge/task_caches.py makes the inputs of the tasks that generate.
package torch
